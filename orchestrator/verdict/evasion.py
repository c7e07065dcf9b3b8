"""Telling a recommendation that says what to do from one that ducks."""

import re

# A longer text has something to say, and these patterns take time that grows with the square of its length.
LONGEST = 2000

_PART = re.compile(r"[.!?;:,。！？；：，、\n—]+|\b(?:but|so|and|yet)\b|但是?|所以|因此", re.IGNORECASE)
_EDGE = " \t\"'“”‘’「」*_()（）-"
_FILLER = re.compile(
    r"n/?a|none|nothing|null|no recommendation|tbd|overall|ultimately|honestly|however|therefore"
    r"|in (?:the end|short|general)|to conclude|at the end of the day|无|没有|暂无|总之|总的来说|综上|最终|其实",
    re.IGNORECASE,
)
_THING = (
    r"(?:sides?|positions?|approach(?:es)?|options?|arguments?|solutions?|proposals?|choices?|answers?|cases?|ones?)"
)
_CHOOSE = r"(?:choose|pick|decide|select|use|go with)"
_FITTING = r"\b(?:suits?|fits?|works?|needs?|according|depending|based)\b"
_PRAISE = (
    r"(?:merits?|valid|good|well|strengths?|strong|reasonable|viable|right|wrong|equal(?:ly)?|fine|acceptable|points?"
    r"|advantages?|pros|works?|better|superior)"
)
_DUCKING = re.compile(
    rf"both (?:{_THING}|of them|are|have|make|made|can)\b.*\b{_PRAISE}\b"
    rf"|(?:each|either|every|neither) (?:{_THING}|is|of them)\b.*\b{_PRAISE}\b"
    r"|(?:it|this|that|the (?:answer|choice|decision|(?:best|right) \w+))"
    r"(?: (?:all|really|ultimately|entirely|simply))? depends?\b"
    rf"|{_CHOOSE} (?:between|either|which(?:ever)?|what(?:ever)?|according|depending|based)\b"
    rf"|{_CHOOSE} (?:the )?{_THING}\b.*{_FITTING}"
    r"|(?:no|there (?:is|are)(?: no)?) (?:clear|single|right|merits?|pros|cons|trade-?offs|strengths?)\b|cons$"
    r"|.*(?:各有(?:千秋|优劣|优势|优点|利弊|优缺点|道理|所长|长短)|不分(?:上下|高下|伯仲)|平分秋色)"
    r"|.*都(?:有道理|有优点|有价值|可以|可行|合理|对)"
    r"|.*(?:视|看|取决于|根据|按照?)[^。]*(?:情况|需求|需要|场景)(?:而定|来?选择|来?决定|再说)?$",
    re.IGNORECASE,
)


def evades(recommendation: str) -> bool:
    """Whether nothing is left to do beside "both have merit" and "it depends"."""
    parts = (part.strip(_EDGE) for part in _PART.split(recommendation))
    said = [part for part in parts if part and not _FILLER.fullmatch(part)]
    return len(recommendation) <= LONGEST and all(_DUCKING.match(part) for part in said)
