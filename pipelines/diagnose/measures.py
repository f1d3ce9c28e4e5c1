"""Findings with intervals, from models' scores of every episode. All intervals resample episodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipelines.diagnose.diagnosis import (
    BinFinding,
    CalibrationFindings,
    Comparison,
    CurveFinding,
    DistanceFinding,
    GroupFindings,
    MarkFindings,
    Measure,
    OutcomeFindings,
    PairFindings,
    SignalFindings,
    SignFindings,
    SuccessFindings,
    WordsFindings,
)
from pipelines.diagnose.scored_play import AROUND_ANSWER, AROUND_SUCCESS, Group, GroupPlay, GroupScores, ModelScores
from reward_models.learning.mark_signal import signal_tally, stack_signal
from reward_models.learning.ordering import (
    DISTANCES,
    PROBABILITIES,
    RARE,
    OrderedPairs,
    Reliability,
    calibration_error,
    stack_reliability,
    together,
)
from reward_models.marks.pairs import MINUS, PLUS
from reward_models.scores.predicted_marks import (
    SIGNS,
    MarkedSteps,
    MarkTally,
    against_raters,
    among_raters,
    choose_threshold,
    peaks,
)
from reward_models.scores.request_outcomes import (
    RequestSpan,
    counts_by_episode,
    has_moment,
    modelled_return,
    pairwise_wins,
)
from reward_models.scores.rescoring import VARIANTS, Rescored, order_shares
from rlhf.run.statistics import (
    LEVEL,
    episode_interval,
    ratio_difference_interval,
    ratio_interval,
    resampled_counts,
)


class Measurer:
    """Measurement of models' scores, with the settings that all models share."""

    def __init__(self, reach: int, tolerance: int, delay: int, seed: int) -> None:
        self.reach, self.tolerance, self.delay, self.seed = reach, tolerance, delay, seed

    def threshold(self, play: GroupPlay, found: GroupScores) -> float | None:
        """Choose the threshold of peaks with the best F1 on this play."""
        return choose_threshold(found.rewards, play.raters, self.reach, self.tolerance)

    def group(self, group: Group, play: GroupPlay, found: GroupScores, threshold: float | None) -> GroupFindings:
        """Measure all findings on one group."""
        pairs = together(found.pairs)
        predicted = None
        if threshold is not None:
            predicted = [peaks(reward, threshold, self.reach) for reward in found.rewards]
        odds = [stack_reliability(of_sign) for of_sign in zip(*found.mark_odds, strict=True)] if found.mark_odds else []
        names = ("a rater marks (+) here", "a rater marks (-) here")
        return GroupFindings(
            part=group[0],
            solver=group[1],
            episodes=len(play.ids),
            marks=play.marks,
            raters=max((len(raters) for raters in play.raters), default=0),
            pairs=self.pairs(pairs),
            calibration=self.calibration("the later moment is better", pairs.reliability, PROBABILITIES),
            mark_calibration=tuple(
                self.calibration(name, counted, RARE) for name, counted in zip(names, odds, strict=False)
            ),
            marked=None if predicted is None or threshold is None else self.marks(play, predicted, threshold),
            signal=self.signal(play, found),
            success=self.success(play, found, predicted),
            answers=self.words(found.words["solver"], AROUND_ANSWER, play.ids),
            instructions=self.words(found.words["setter"], AROUND_SUCCESS, play.ids),
        )

    def pairs(self, pairs: OrderedPairs) -> PairFindings:
        """Measure accuracy on all pairs, by sign, and by distance."""
        right, total = pairs.right.sum(-1), pairs.total.sum(-1)  # [E, 2]
        by_distance = []
        for place, (least, beyond) in enumerate(zip(DISTANCES, (*DISTANCES[1:], None), strict=True)):
            accuracy = self._share(pairs.right[:, :, place].sum(1), pairs.total[:, :, place].sum(1))
            if accuracy is not None:
                most, majority = beyond - 1 if beyond else None, _majority(pairs.total[:, :, place])
                by_distance.append(DistanceFinding(least, most, accuracy, majority))
        return PairFindings(
            accuracy=self._share(right.sum(1), total.sum(1)),
            better=self._share(right[:, PLUS], total[:, PLUS]),
            worse=self._share(right[:, MINUS], total[:, MINUS]),
            balanced=self._measure(lambda w: _divide(w @ right, w @ total).mean(-1), total.sum(1)),
            majority=_majority(total) if total.any() else None,
            by_distance=tuple(by_distance),
        )

    def calibration(self, of: str, counted: Reliability, edges: Sequence[float]) -> CalibrationFindings:
        """Measure reliability, expected calibration error and log loss of predictions."""
        weight = counted.weight.sum(-1)
        bins = []
        for place, (low, high) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
            happened = self._share(counted.happened[:, place], counted.weight[:, place])
            if happened is not None:
                mean = float(counted.predicted[:, place].sum() / counted.weight[:, place].sum())
                share = float(counted.weight[:, place].sum() / weight.sum())
                bins.append(BinFinding(float(low), float(high), mean, happened, share))
        return CalibrationFindings(
            of=of,
            error=self._measure(
                lambda w: calibration_error(w @ counted.weight, w @ counted.predicted, w @ counted.happened), weight
            ),
            log_loss=self._measure(lambda w: _divide(w @ counted.log_loss, w @ weight), weight),
            base_log_loss=_entropy(counted.happened.sum() / weight.sum()) if weight.any() else None,
            bins=tuple(bins),
        )

    def marks(self, play: GroupPlay, predicted: Sequence[MarkedSteps], threshold: float) -> MarkFindings:
        """Measure predicted marks against raters', with the raters' own agreement and chance as bounds."""
        tolerance, raters = self.tolerance, play.raters
        model = _stack(against_raters(own, some, tolerance) for own, some in zip(predicted, raters, strict=True))
        ceiling, chance = _stack(among_raters(some, tolerance) for some in raters), None
        if len(predicted) > 1:  # else the only other episode is the episode itself
            others = zip([*predicted[1:], *predicted[:1]], raters, strict=True)
            chance = _stack(against_raters(other, some, tolerance) for other, some in others)
        signs = []
        for place, sign in SIGNS.items():
            signs.append(
                SignFindings(
                    sign=sign,
                    precision=self._share(model.matched[:, place], model.predicted[:, place]),
                    recall=self._share(model.matched[:, place], model.given[:, place]),
                    f1=self._f1(model, place),
                    raters=self._f1(ceiling, place),
                    chance=None if chance is None else self._f1(chance, place),
                )
            )
        return MarkFindings(threshold, tuple(signs))

    def signal(self, play: GroupPlay, found: GroupScores) -> SignalFindings:
        """Measure changes of utility at marks and where the raters who saw an episode marked nothing."""
        tally = stack_signal(
            [
                signal_tally(np.cumsum(reward), _counts(raters, len(reward)), self.tolerance)
                for reward, raters in zip(found.rewards, play.raters, strict=True)
                if raters
            ]
        )
        plus, minus, unmarked = (moved[:, 0] for moved in (tally.plus, tally.minus, tally.unmarked))
        return SignalFindings(
            plus=self._measure(lambda w: tally.weighted(w).rise, plus),
            minus=self._measure(lambda w: tally.weighted(w).fall, minus),
            noise=self._measure(lambda w: tally.weighted(w).noise, unmarked),
            ratio=self._measure(lambda w: tally.weighted(w).ratio, plus + minus),
        )

    def success(self, play: GroupPlay, found: GroupScores, predicted: Sequence[MarkedSteps] | None) -> SuccessFindings:
        """Measure modelled return and marks of requests that succeeded and of those that failed."""
        spans = [(number, span) for number, own in enumerate(play.spans) for span in own]
        returns = np.array([modelled_return(found.rewards[number], span) for number, span in spans])
        good = np.array([span.succeeded for _, span in spans], dtype=bool)
        episode = np.array([number for number, _ in spans], dtype=np.int64)
        by_task = {}
        for task in sorted({span.task for _, span in spans}):
            own = np.array([span.task == task for _, span in spans])
            auc = self._auc(returns[own], good[own], episode[own], len(play.ids))
            if auc is not None:
                by_task[task] = auc
        outcomes = [self._outcome(play, spans, returns, good == truth, predicted) for truth in (True, False)]
        return SuccessFindings(self._auc(returns, good, episode, len(play.ids)), by_task, *outcomes)

    def words(self, parts: Sequence[Rescored], before: int, ids: Sequence[str]) -> WordsFindings | None:
        """Measure utility under other words; None without moments at which words can be exchanged."""
        parts = [part for part in parts if part.moments]
        if not parts:
            return None
        number = {episode_id: place for place, episode_id in enumerate(ids)}
        episode = np.array([number[episode_id] for part in parts for episode_id in part.ids])
        change, curve = (np.concatenate([getattr(part, name) for part in parts]) for name in ("change", "curve"))
        kinds = np.array([moment.words.kind for part in parts for moment in part.moments])
        ordered = order_shares(change)
        total = self._mean(np.ones(len(change)), episode, len(ids))
        assert total is not None
        right, plausible, unrelated, all_three = (self._mean(column, episode, len(ids)) for column in ordered.T)
        assert right and plausible and unrelated and all_three
        by_kind = {}
        for kind in sorted(set(kinds.tolist())):
            own = kinds == kind
            both = [self._mean(ordered[own, column], episode[own], len(ids)) for column in (3, 0)]
            assert both[0] and both[1]
            by_kind[kind] = (both[0], both[1])
        changes = [self._mean(column, episode, len(ids), share=False) for column in change.T]
        return WordsFindings(
            moments=len(change),
            change=tuple(one for one in changes if one is not None),
            right_over_plausible=right,
            plausible_over_unrelated=plausible,
            right_over_unrelated=unrelated,
            in_order=all_three,
            by_kind=by_kind,
            curves=tuple(self._curve(curve[:, v], before, episode, len(ids)) for v in range(len(VARIANTS))),
        )

    def compare(self, scored: ModelScores, names: Sequence[str]) -> tuple[Comparison, ...]:
        """Compare every further model with the first, on the same pairs."""
        found = []
        for group in scored.play:
            first = together(scored.scores[0][group].pairs)
            total, base = first.total.sum((1, 2)), first.right.sum((1, 2))
            for name, scores in zip(names[1:], scored.scores[1:], strict=True):
                gain = together(scores[group].pairs).right.sum((1, 2)) - base
                interval = ratio_difference_interval(gain, total, seed=self.seed)
                difference = Measure.of(interval, float(total.sum()))
                if difference is not None:
                    found.append(Comparison(names[0], name, *group, difference))
        return tuple(found)

    # -- numbers with intervals ------------------------------------------------------------------------------

    def _share(self, part: np.ndarray, whole: np.ndarray) -> Measure | None:
        return Measure.of(ratio_interval(part, whole, seed=self.seed), float(whole.sum()))

    def _f1(self, tally: MarkTally, place: int) -> Measure | None:
        return self._share(2.0 * tally.matched[:, place], tally.predicted[:, place] + tally.given[:, place])

    def _measure(self, estimate, items: np.ndarray) -> Measure | None:
        """Measure ``estimate`` of weights [R, E] of episodes; episodes without ``items`` [E] do not count."""
        interval = episode_interval(estimate, len(items), seed=self.seed)
        found = Measure.of(interval, float(items.sum()))
        return None if found is None else _with_episodes(found, int((items > 0).sum()))

    def _mean(self, values: np.ndarray, episode: np.ndarray, episodes: int, share: bool = True) -> Measure | None:
        """Mean of ``values`` [M] with their numbers of episodes [M]."""
        part = np.bincount(episode, values, minlength=episodes)
        whole = np.bincount(episode, minlength=episodes).astype(np.float64)
        if share:
            return self._share(part, whole)
        return self._measure(lambda w: _divide(w @ part, w @ whole), whole)

    def _auc(self, values: np.ndarray, good: np.ndarray, episode: np.ndarray, episodes: int) -> Measure | None:
        if not good.any() or good.all():
            return None
        wins = pairwise_wins(values, good, episode, episodes)
        goods, bads = counts_by_episode(good, episode, episodes), counts_by_episode(~good, episode, episodes)
        return self._measure(lambda w: _divide(((w @ wins) * w).sum(1), (w @ goods) * (w @ bads)), goods + bads)

    def _outcome(
        self,
        play: GroupPlay,
        spans: Sequence[tuple[int, RequestSpan]],
        returns: np.ndarray,
        which: np.ndarray,
        predicted: Sequence[MarkedSteps] | None,
    ) -> OutcomeFindings:
        """Measure the requests of the mask ``which`` (bool [N])."""
        own = [span for span, wanted in zip(spans, which.tolist(), strict=True) if wanted]
        episode, count = np.array([number for number, _ in own], dtype=np.int64), len(play.ids)
        rated = [(n, has_moment(some, span, self.delay)) for n, span in own for some in play.raters[n]]
        rated_episode = np.array([number for number, _ in rated], dtype=np.int64)
        by_raters = np.array([has for _, has in rated], dtype=np.float64).reshape(-1, 2)
        peaked = None
        if predicted is not None:
            peaked = np.array([has_moment(predicted[n], span) for n, span in own], dtype=np.float64).reshape(-1, 2)
        return OutcomeFindings(
            mean_return=self._mean(returns[which], episode, count, share=False),
            returns=tuple(round(value, 4) for value in returns[which].tolist()),
            rated_plus=self._mean(by_raters[:, PLUS], rated_episode, count),
            rated_minus=self._mean(by_raters[:, MINUS], rated_episode, count),
            predicted_plus=None if peaked is None else self._mean(peaked[:, PLUS], episode, count),
            predicted_minus=None if peaked is None else self._mean(peaked[:, MINUS], episode, count),
        )

    def _curve(self, curve: np.ndarray, before: int, episode: np.ndarray, episodes: int) -> CurveFinding:
        """Mean over moments [M, offsets] with intervals; offsets missing from more than half of them are left out."""
        known = ~np.isnan(curve)
        shown = np.flatnonzero(known.mean(axis=0) >= 0.5)
        totals, counts = np.zeros((episodes, len(shown))), np.zeros((episodes, len(shown)))
        np.add.at(totals, episode, np.where(known, curve, 0.0)[:, shown])
        np.add.at(counts, episode, known[:, shown].astype(np.float64))
        draws, tail = resampled_counts(episodes, seed=self.seed), (1 - LEVEL) / 2
        low, high = np.nanquantile(_divide(draws @ totals, draws @ counts), [tail, 1 - tail], axis=0)
        mean = totals.sum(0) / counts.sum(0)
        return CurveFinding(
            tuple((shown - before).tolist()), tuple(mean.tolist()), tuple(low.tolist()), tuple(high.tolist())
        )


def _stack(tallies) -> MarkTally:
    """Stack tallies of episodes along a leading axis [E]."""
    tallies = list(tallies)
    return MarkTally(*(np.stack([getattr(t, name) for t in tallies]) for name in ("matched", "predicted", "given")))


def _counts(raters: Sequence[MarkedSteps], steps: int) -> np.ndarray:
    """Marks of all ``raters`` of one episode by step and sign, int64 [T, 2]."""
    return np.sum([moments.counts(steps) for moments in raters], axis=0)


def _divide(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide; nan where ``whole`` is 0."""
    return part / np.where(whole > 0, whole, np.nan)


def _majority(total: np.ndarray) -> float:
    """Accuracy of always predicting the commoner sign, for weights [E, 2]."""
    return float(total.sum(0).max() / total.sum())


def _entropy(p: float) -> float:
    """Log loss of always predicting the base rate ``p``."""
    return float(-sum(x * np.log(x) for x in (p, 1 - p) if x > 0))


def _with_episodes(measure: Measure, episodes: int) -> Measure:
    return Measure(measure.estimate, measure.low, measure.high, episodes, measure.items)
