/** A sentence in which somebody else asks for something: what a page says, what a caller wanted. */
const asks =
  /\b(?:comments?|pages?|texts?|e-?mails?|messages?|notes?|lines?|instructions?|prompts?|documents?|pdfs?|users?|customers?|clients?|colleagues?|managers?|directors?|vendors?|tickets?|attackers?|callers?|senders?|suppliers?|readme|issues?|websites?|invoices?|letters?|somebody|someone)\b[^.!?\n]{0,80}\b(?:tell(?:s|ing)?|told|ask(?:s|ed|ing)?|say(?:s|ing)?|said|instruct\w*|claim\w*|demand\w*|order(?:s|ed|ing)|want(?:s|ed|ing)?|urg(?:es?|ed|ing)|request\w*|announc\w*|tried|tries|trying)\b/i

/** Somebody says that it was not done. */
const declined =
  /\b(?:rules?|polic(?:y|ies)|guidelines?)\s+(?:do|does|did)\s+not\s+(?:allow|permit)\b|\bnot\s+allowed,?\s+so\s+i\b|\bi\s+(?:refused|declined)\b|\bagainst\s+(?:the\s+|our\s+)?(?:polic(?:y|ies)|rules),?\s+so\b|\b(?:did\s+not|didn't|have\s+not|haven't|was\s+not|were\s+not|never|refused\s+to|declined\s+to)\s+(?:\w+\s+){0,2}(?:follow(?:ed)?|act(?:ed)?|compl(?:y|ied)|obey(?:ed)?|run|ran|execut(?:e|ed)|open(?:ed)?|click(?:ed)?|pay|paid|forward(?:ed)?|sen[dt]|approved?|do|done|used?)\b|\btreated\s+(?:it|this|that|them)\s+as\s+(?:[\w-]+\s+)?(?:content|data|text|untrusted|spam|an?\s+attack)\b|\bignored\s+(?:it|this|that|them)\b|\bleft\s+(?:\w+\s+){1,5}(?:unchanged|untouched|alone)\b|\bno\s+(?:payment|transfer|action)\s+(?:has\s+been|was)\s+(?:made|taken)\b/i

/** Sentences told of others' demands, taken out where the text says that they were not met; lines stay where they are. */
export const withoutReported = (prose: string): string => {
  if (!declined.test(prose)) return prose
  return prose
    .split('\n')
    .map(row =>
      row.length > 2000
        ? row
        : row
            .split(/(?<=[.!?;])\s/)
            .filter(
              sentence =>
                !asks.test(sentence) ||
                /\b(?:so|and|therefore)\s+i\s+(?!did\s+not|didn't|have\s+not|left|refused|reported|treated|ignored|asked)/i.test(
                  sentence,
                ),
            )
            .join(' '),
    )
    .join('\n')
}

const titleNoun =
  /\b(?:film|movie|book|novel|talk|lecture|song|album|article|pages?|chapter|titled?|entitled|called|workshop|course|lesson|play|exhibition|game|episode|post|section|heading|rewrite|guide)\s*$/i

const teaches = /\b(?:drill|training|awareness|exercise|lesson|phishing\s+test)\b/i

/** Titles in quotation marks, and the examples of a lesson, name a thing, whatever their words say. */
export const withoutTitles = (whole: string): string => {
  const text = teaches.test(whole)
    ? whole.replace(/\b(example|sample|e\.g\.)([^"“\n]{0,30})["“][^"“”\n]{2,200}["”]/gi, '$1$2"…"')
    : whole
  return text.replace(/["“]([A-Z][^"“”\n]{2,60})["”]/g, (whole, title: string, at: number) =>
    /^(?:How\s+to|Why|What|When|Where)\b/.test(title) ||
    titleNoun.test(text.slice(Math.max(0, at - 24), at)) ||
    (/\s[A-Z]/.test(title) &&
      title.split(' ').every(word => /^(?:[A-Z][\w'-]*|of|the|and|to|a|in|&)[,!?]?$/.test(word)))
      ? '"…"'
      : whole,
  )
}
