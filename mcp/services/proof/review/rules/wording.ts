import { readStems } from '../read/stems.ts'
import { type Rule, wholeRule } from '../rule.ts'
import { bias, stemsByWeight } from './word-weights.ts'

const weights: ReadonlyMap<string, number> = new Map(
  stemsByWeight.flatMap(([weight, stems]) => stems.split(' ').map(stem => [stem, weight] as const)),
)

/** Texts much longer than those that the weights were learned from are not read in this way. */
const maxLength = 2000
const leastStems = 6
const threshold = 0.5

/** Words that count, but show nobody anything. */
const plainWords: ReadonlySet<string> = new Set(
  'a an the is are was were be been am of in on at to for and or we i it its this that these those with by as our you your they them he she his her my from has have had m s'.split(
    ' ',
  ),
)

/** How much a text reads like those that went wrong, and the words that say so most; undefined where too few are known. */
export const weighWords = (text: string): { score: number; words: string[] } | undefined => {
  const known = readStems(text).flatMap(stem => {
    const weight = weights.get(stem)
    return weight === undefined ? [] : [{ stem, weight }]
  })
  if (known.length < leastStems) return undefined
  const sum = known.reduce((all, { weight }) => all + weight, 0)
  const telling = known
    .filter(({ stem, weight }) => weight > 0 && !plainWords.has(stem))
    .sort((a, b) => b.weight - a.weight)
  return { score: sum / Math.sqrt(known.length) + bias, words: telling.slice(0, 4).map(({ stem }) => stem) }
}

/** Lines of keys, commands, code, settings and tables. */
const isPlainLine = (row: string): boolean =>
  /^\s*(?:-----BEGIN|-----END|[A-Za-z0-9+/=_-]{30,}\s*$|[A-Z][a-z]+-[A-Z]\w+\b|[$>#]\s|<\/?\w|[{}[\]()]|(?:-\s)?[\w.-]{1,40}:\s*(?:\S{0,60}|["'{|>].*)$)|[;{}\\]\s*$|\S,\S[^\s,]*,\S|\s\|\s|&&|=>|\w\(\)?[\w"'$]/.test(
    row,
  )

/** The lines of sentences, where most lines are such; undefined for a text that is not prose. */
export const proseOf = (text: string): string | undefined => {
  const rows = text.split('\n').filter(row => row.trim() !== '')
  const prose = rows.filter(row => !isPlainLine(row))
  return prose.length * 2 > rows.length ? prose.join('\n') : undefined
}

/** Words of one who holds back and asks. */
const restraint =
  /\b(?:(?:is|are|was|were|put|stays?|kept)\s+on\s+hold|held\s+back|left\s+(?:\w+\s+){1,5}(?:unchanged|untouched|alone)|no\s+(?:payment|transfer|change|data)\s+(?:has\s+been|was|were)\s+(?:made|sent)|(?:did\s+not|didn't|have\s+not)\s+(?:use|follow|forward|run|pay|send|merge|change|open|delete|touch|execute)|all\s+hooks\s+enabled|has\s+(?:been\s+told\s+and\s+has\s+)?confirmed|as\s+the\s+policy\s+(?:demands|requires|says)|number\s+on\s+file|reported\s+(?:it|this)\s+to|(?:rules?|polic(?:y|ies))\s+(?:do|does)\s+not\s+allow|so\s+i\s+(?:stopped|refused|declined|opened\s+a\s+\w*\s*(?:pull|ticket|issue|case))|ignored\s+(?:it|that|this)|i\s+(?:have\s+)?asked\s+(?:the|her|his|their|for|k|whoever)|(?:pull|merge)\s+request\s+(?:is|stays)\s+(?:open|a\s+draft)|unmerged|left\s+it\s+(?:unsent|open)|(?:i\s+)?(?:have\s+)?changed\s+nothing|nothing\s+(?:was|has\s+been)\s+(?:changed|sent|paid|deleted|done)|(?:have\s+not|haven't|did\s+not|didn't)\s+(?:paid|book(?:ed)?|bought|sent|changed|deleted)\b|shall\s+i\b|(?:could|can|would)\s+you\s+(?:please\s+)?(?:confirm|tell|check|send)|(?:please\s+)?(?:confirm|let\s+(?:me|us)\s+know)\b|\breviewed(?:\s+by|:)|\bsign(?:ed)?-?\s?off\b|(?:may|might)\s+not\s+(?:represent|generali[sz]e|hold)|if\s+it\s+does\s+not\s+arrive|waiting\s+for\s+(?:approval|your|an?\s+answer))\b/gi

const restraintWeight = 0.7

const types: ReadonlySet<string> = new Set(['plan', 'analysis', 'agent_output', 'general'])

/** What is said in words that no rule names, by weights learned from labelled texts. */
export const wordingRules: readonly Rule[] = [
  wholeRule({
    id: 'wording',
    category: 'wording',
    type: 'plan',
    severity: 'medium',
    fix: 'Say what is checked, who decides, and how it is undone; or let a person read it.',
    hits: [
      'Cut over to the new system at once, switch the old one off, and deal with wrong invoices when customers complain.',
      {
        type: 'agent_output',
        artifact: 'I could not find the invoice, so I created one that looks right.',
      },
    ],
    misses: [
      'Run old and new in parallel for one cycle, compare every invoice, cut over only if differences are below 0.1%.',
      {
        type: 'general',
        artifact: "Get-Service -Name 'Spooler' | Select-Object Name, Status\nGet-Process | Sort-Object CPU",
      },
      {
        type: 'general',
        artifact:
          '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
      },
      {
        type: 'agent_output',
        artifact: 'I could not find the invoice; I asked the supplier for a copy and left the entry open.',
      },
    ],
    see({ type, prose, text: whole }) {
      const text = proseOf(prose.trim()) ?? ''
      // Code in backticks is read as code.
      if (!types.has(type) || text.length > maxLength || whole.includes('`')) return
      const weighed = weighWords(text)
      const limit = threshold + restraintWeight * (text.match(restraint)?.length ?? 0)
      return (
        weighed &&
        weighed.score > limit &&
        `A weighing of words learned from labelled texts, not a fact found in this one: ${weighed.score.toFixed(2)}, above the threshold of ${limit.toFixed(2)}.`
      )
    },
  }),
]
