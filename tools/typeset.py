"""Formulas of the documents as MathML, which browsers draw by themselves: no script, no fonts, no network.

The documents write formulas as a terminal shows them, in indented lines: `t_weights = weights_read / (n·W)     what it is`. A line is parsed by the rules
that its readers follow (a space between two symbols multiplies; a name before a bracket without a space is a function; / divides what stands
left of it in its product), or stays as it is: prose is never guessed at.
"""

import re
from html import escape

GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "rho": "ρ"}
POWERS = {"²": "2", "³": "3", "⁴": "4"}
WORDS = set("a an and are as at be beside by each else finished for from in instead integral is its of off on one or other others over that the their them those to what where which with without".split())
TOKEN = re.compile(r"\s*(?:(?P<number>\$?\d+(?:[.,]\d+)*)|(?P<name>[A-Za-zΑ-Ωα-ωµ][A-Za-z0-9Α-Ωα-ω]*(?:_[A-Za-z0-9]+)*(?:\*(?=\s|$)|')?)|(?P<mark><=|>=|<-|[-+·/^()=,<>√Σ²³⁴]))")


class NoFormula(Exception):
    pass


def tokens_of(text):
    """(kind, text, whether a space stands before it) of a whole line."""
    out, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise NoFormula(text[at:])
        out.append((match.lastgroup, match[match.lastgroup], match.end() - len(match[match.lastgroup]) > at))
        at = match.end()
    return out


def symbol(name):
    """t_step as a letter with an index; longer names as they are."""
    mark = ""
    if name[-1] in "*'":
        name, mark = name[:-1], "*" if name[-1] == "*" else "′"
    first, _, index = name.partition("_")
    if index and len(first) <= 2:
        out = f"<msub><mi>{GREEK.get(first, first)}</mi><mi>{escape(index)}</mi></msub>"
    else:
        out = f"<mi>{escape(GREEK.get(name, name))}</mi>"
    return f"<msup>{out}<mo>{mark}</mo></msup>" if mark else out


def row(*parts):
    return "<mrow>" + "".join(parts) + "</mrow>"


class Parser:
    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def next(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "", True)

    def take(self, text):
        if self.next()[1] != text:
            return False
        self.at += 1
        return True

    def formula(self):
        parts, related = [self.sum()], False
        while self.next()[1] in ("=", "<=", ">=", "<-", "<", ">", ","):
            sign = self.next()[1]
            self.at += 1
            related = related or sign != ","
            parts.append(f"<mo>{ {'<=': '≤', '>=': '≥', '<-': '←', '<': '&lt;', '>': '&gt;'}.get(sign, sign)}</mo>")
            parts.append(self.sum())
        if self.next()[0] != "end" or not related:
            raise NoFormula
        return row(*parts)

    def sum(self):
        parts = []
        if self.next()[1] in ("-", "+"):
            parts.append(f"<mo>{'−' if self.next()[1] == '-' else '+'}</mo>")
            self.at += 1
        parts.append(self.product())
        while self.next()[1] in ("+", "-"):
            parts.append(f"<mo>{'−' if self.next()[1] == '-' else '+'}</mo>")
            self.at += 1
            parts.append(self.product())
        return parts[0] if len(parts) == 1 else row(*parts)

    def product(self):
        word = self.next()
        left, last = self.power(), word
        while True:
            if self.take("·"):
                last = self.next()
                left = row(left, "<mo>·</mo>", self.power())
            elif self.take("/"):
                last = self.next()
                left = f"<mfrac>{bare(left)}{bare(self.power())}</mfrac>"
            elif self.multiplies(last):
                last = self.next()
                left = row(left, "<mspace width='0.2em'></mspace>", self.power())
            else:
                return left

    def multiplies(self, last):
        """Whether what follows stands beside `last` as a factor: a bracket, a root, or a symbol beside a short one; two long words are prose."""
        kind, text, space = self.next()
        if text in ("(", "√", "Σ"):
            return True
        if kind == "number":
            return False if last[0] == "number" else space
        if kind != "name":
            return False
        if text.lower() in WORDS - {"a"} or (last[0] == "name" and last[1].lower() in WORDS - {"a"}):
            raise NoFormula
        short = lambda token: token[0] != "name" or len(token[1].partition("_")[0].rstrip("*'")) <= 2
        if not short(last) and not short(self.next()) or last[0] == "name" and last[1] == "a":
            raise NoFormula
        return True

    def power(self):
        base = self.atom()
        while True:
            if self.take("^"):
                base = f"<msup>{base}{bare(self.atom())}</msup>"
            elif self.next()[1] in POWERS:
                base = f"<msup>{base}<mn>{POWERS[self.next()[1]]}</mn></msup>"
                self.at += 1
            else:
                return base

    def atom(self):
        kind, text, _ = self.next()
        self.at += 1
        if kind == "number":
            return f"<mn>{text}</mn>"
        if text == "√":
            return f"<msqrt>{bare(self.power())}</msqrt>"
        if text == "Σ":
            return row("<mo>∑</mo>", self.product())
        if text == "(":
            inside = self.sum()
            if not self.take(")"):
                raise NoFormula
            return row("<mo>(</mo>", inside, "<mo>)</mo>")
        if kind != "name":
            raise NoFormula
        if text.lower() in WORDS - {"a"}:
            raise NoFormula
        called = self.next()
        if called[1] == "(" and not called[2]:
            self.at += 1
            parts = [] if self.next()[1] == ")" else [self.sum()]
            while self.take(","):
                parts += ["<mo>,</mo>", self.sum()]
            if not self.take(")"):
                raise NoFormula
            return row(symbol(text), "<mo>(</mo>", *parts, "<mo>)</mo>")
        if text.startswith("Σ_"):
            return row("<msub><mo>∑</mo><mi>" + escape(text[2:]) + "</mi></msub>", self.product())
        return symbol(text)


def bare(text):
    """Without brackets that a fraction's bar, a root or an exponent makes needless."""
    match = re.fullmatch(r"<mrow><mo>\(</mo>(.*)<mo>\)</mo></mrow>", text)
    if not match:
        return text
    depth = 0
    for sign in re.findall(r"<mo>([()])</mo>", match[1]):
        depth += 1 if sign == "(" else -1
        if depth < 0:
            return text
    return row(match[1])


def mathml(text):
    """A formula; NoFormula where it is none."""
    return f"<math>{Parser(text).formula()}</math>"


def split_line(line):
    """What a line says, and its pieces behind wide gaps: further formulas, or words about the first."""
    line = re.sub(r"\s{2,}(=|<=|>=|\+)\s", r" \1 ", line.strip())
    line = re.sub(r"\s(=|<=|>=|\+)\s{2,}", r" \1 ", line)
    return [piece for piece in re.split(r"\s{2,}", line) if piece]


def logical_lines(block):
    """Lines with those that go on below them, deeper, joined."""
    out = []
    for line in block.splitlines():
        if line.startswith("     ") and out:
            out[-1] += " " + line.strip()
        else:
            out.append(line[4:])
    return out


def typeset_line(line):
    """A line as HTML, and whether it holds a formula."""
    found, parts = False, []
    for piece in split_line(line):
        try:
            parts.append(mathml(piece))
            found = True
        except NoFormula:
            parts.append(f"<span>{escape(piece)}</span>" if found else f"<code>{escape(piece)}</code>")
    return "<div>" + " ".join(parts) + "</div>", found


BLOCK = re.compile(r"(?<=\n\n)((?: {4}\S.*\n(?: {4}.*\n)*)+)(?=\n|$)")


def typeset(text):
    """A page with its indented formulas drawn; fenced blocks, lists and indented texts without a formula stay."""
    fences = re.split(r"(^```.*?^```\n)", text, flags=re.M | re.S)
    for i in range(0, len(fences), 2):
        def drawn(match):
            lines = [typeset_line(line) for line in logical_lines(match[1])]
            if not any(found for _, found in lines):
                return match[0]
            return '<div class="formulas">\n' + "\n".join(line for line, _ in lines) + "\n</div>\n"
        fences[i] = BLOCK.sub(drawn, fences[i])
    return "".join(fences)
