"""The words of the built-in speakers, in English and in Chinese."""

import re

_ENGLISH = {
    "yes": "doing it",
    "no": "leaving it",
    "stance": "I propose {mine}, not {other}. My claims rest on lines of this folder.",
    "flaw": "The proposal has a flaw: it shows that {other} is mentioned here, not that it is the better choice. I argue for {mine}.",
    "holds": "My position stays {mine}, not {other}.",
    "claim": "{path} already decides part of this:",
    "nothing": "Nothing in this folder bears on the topic, so I can cite no line; my stance rests on the wording of the topic alone.",
    "nothing_new": "I found no further line in this folder that bears on the topic.",
    "false": "The citation {where} does not stand there word for word: that claim is unsupported.",
    "concede": 'I concede that {where} says "{quote}". It is a fact about today\'s code, not a reason to prefer it.',
    "unsupported": "The other side cites no line that could be looked up: its claims are unsupported.",
    "alternative": "An alternative: try the smaller change first, measure correctness, security and developer experience, then decide.",
    "wins": "{winner} cites {count} lines that stand word for word in the folder; the other side cites {other}.",
    "tie": "Both sides cite {count} lines that stand word for word; the burden of proof lies with the proposal, so {winner} prevails.",
    "recommend": "Follow {winner}: begin with the file it cites first, {where}, and measure before going on.",
    "recommend_bare": "Follow {winner} for now, and collect evidence in the repository before committing to it.",
    "point": "Which choice the cited lines support",
    "holds_position": "cites {count} lines that stand word for word",
    "agreed": "The cited line stands as quoted",
    "open": "How the choice behaves under real load; nobody measured it.",
}
_CHINESE = {
    "yes": "采用",
    "no": "保持现状",
    "stance": "我主张{mine},而不是{other}。我的论点都以本文件夹中的行为依据。",
    "flaw": "该提案有一处缺陷:它只说明这里提到了{other},并未证明它更好。我主张{mine}。",
    "holds": "我的立场不变:{mine},而不是{other}。",
    "claim": "{path} 已经决定了其中一部分:",
    "nothing": "本文件夹中没有与议题相关的行,因此我无法引用;我的立场只来自议题本身。",
    "nothing_new": "本文件夹中没有更多与议题相关的行。",
    "false": "引用 {where} 与原文不符:该论点没有依据。",
    "concede": '我承认 {where} 写着 "{quote}"。但这只是现状,不是选择它的理由。',
    "unsupported": "对方没有引用任何可核对的行:其论点没有依据。",
    "alternative": "另一种做法:先做较小的改动,衡量正确性、安全性与开发体验,再作决定。",
    "wins": "{winner} 引用了 {count} 行可逐字核对的原文;对方引用了 {other} 行。",
    "tie": "双方各引用了 {count} 行可核对的原文;举证责任在提案一方,因此 {winner} 胜出。",
    "recommend": "采纳 {winner}:先从它引用的 {where} 入手,衡量之后再继续。",
    "recommend_bare": "暂时采纳 {winner},并在仓库中收集证据后再作承诺。",
    "point": "所引用的行支持哪一种选择",
    "holds_position": "引用了 {count} 行可逐字核对的原文",
    "agreed": "所引用的行与原文一致",
    "open": "该选择在真实负载下的表现;没有人测量过。",
}


def phrases(topic: str) -> dict[str, str]:
    """The words to speak in: Chinese for a topic with Han characters, else English."""
    return _CHINESE if re.search(r"[\u3400-\u9fff]", topic) else _ENGLISH
