"""Telling a recommendation that says what to do from one that ducks."""

import re

_PART = re.compile(r"[.!?;:,。！？；：，、\n—]+|\b(?:but|so|and|yet)\b|但是?|所以|因此", re.IGNORECASE)
_FILLER = re.compile(
    r"\W*(?:n/?a|none|nothing|null|no recommendation|tbd|overall|ultimately|honestly|however|therefore|in the end|in short|in general"
    r"|to conclude|at the end of the day|无|没有|暂无|总之|总的来说|综上|最终|其实)?\W*",
    re.IGNORECASE,
)
_PRAISE = r"\b(?:merits?|valid|good|well|strengths?|strong|reasonable|viable|right|equal(?:ly)?|fine|acceptable|points?|advantages?|pros)\b"
_DUCKING = re.compile(
    r"\W*(?:"
    r"both (?:sides?|positions?|approaches|options|arguments|solutions|proposals|choices|answers|cases|of them|are|have|make|made|can)\b.*"
    + _PRAISE
    + r"|(?:each|either|every) (?:side|position|approach|option|argument|one|solution|choice)\b.*(?:"
    + _PRAISE
    + r"|\bworks?\b)"
    r"|neither (?:side|position|approach|option|argument|one|is)\b"
    r"|(?:it|this|that|the (?:answer|choice|decision|best \w+|right \w+))(?: (?:all|really|ultimately|entirely|simply))? depends?\b"
    r"|(?:choose|pick|decide|select|use|go with) (?:(?:between|either|whichever|whatever|what|according|depending|based)\b"
    r"|(?:the )?(?:one|option|approach|tool|solution|side)\b.*\b(?:suits?|fits?|works?|needs?|according|depending|based)\b)"
    r"|(?:no|there (?:is|are)(?: no)?) (?:clear|single|right|merits?|pros|cons|trade-?offs|strengths?)\b"
    r"|cons\b"
    r")"
    r"|.*(?:各有(?:千秋|优劣|优势|优点|利弊|优缺点|道理|所长|长短)|都(?:有道理|有优点|有价值|可以|可行|合理|对)|不分(?:上下|高下|伯仲)|平分秋色)"
    r"|.*(?:视|看|取决于|根据|按照?)[^。]*(?:情况|需求|需要|场景)(?:而定|来?选择|来?决定|再说)?\W*$",
    re.IGNORECASE | re.DOTALL,
)


def evades(recommendation: str) -> bool:
    """Whether nothing is left to do beside "both have merit" and "it depends"."""
    return all(_FILLER.fullmatch(part) or _DUCKING.match(part) for part in _PART.split(recommendation))
