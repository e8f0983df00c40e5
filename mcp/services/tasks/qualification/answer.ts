import canonicalize from 'canonicalize'

const normalizeText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?,;:]+$/, '')

/** An answer as it is compared with others: text without case, space around and the mark at its end; data as canonical JSON. */
export const toAnswerKey = (answer: unknown): string =>
  typeof answer === 'string' ? normalizeText(answer) : (canonicalize(answer) ?? '')
