def format_table(groups, outcomes):
    return "\n".join(f"{g.name} {sum(o.group==g.name for o in outcomes)} {sum(o.group==g.name and o.broke is None for o in outcomes)} {sum(o.seconds for o in outcomes if o.group==g.name):.0f}" for g in groups)
def write_page(*a): return ""
