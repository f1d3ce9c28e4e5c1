"""The part "feedback-or-bonus": does feedback buy social skill cheaper than exploration bonuses?"""
