import type { Artifact } from '../artifact.ts'
import type { ArtifactType } from '../artifact-type.ts'
import * as commands from '../learned/commands.ts'
import * as diffs from '../learned/diffs.ts'
import * as sentences from '../learned/sentences.ts'
import * as settings from '../learned/settings.ts'
import { type Features, readDiffFeatures, readTextFeatures } from '../read/features.ts'
import { parseWeights, type Weights, weigh } from '../read/weighing.ts'
import { type Rule, wholeRule } from '../rule.ts'

/** Texts much longer than those that the weights were learned from, or of hardly a word, are not weighed. */
const maxLength = 4000
const leastWords = 5

/** Lines of keys, commands, code, settings and tables. */
const isPlainLine = (row: string): boolean =>
  /^\s*(?:-----BEGIN|-----END|[A-Za-z0-9+/=_-]{30,}\s*$|[A-Z][a-z]+-[A-Z]\w+\b|[$>#]\s|<\/?\w|[{}[\]()]|(?:-\s)?[\w.-]{1,40}:\s*(?:\S{0,60}|["'{|>].*)$)|[;{}\\]\s*$|\S,\S[^\s,]*,\S|\s\|\s|&&|=>|\w\(\)?[\w"'$]/.test(
    row,
  )

/** The lines of sentences, where most lines are such; nothing of a text that is not prose. */
const proseOf = (text: string): string => {
  const rows = text.split('\n').filter(row => row.trim() !== '')
  const prose = rows.filter(row => !isPlainLine(row))
  return prose.length * 2 > rows.length ? prose.join('\n').trim() : ''
}

/** What weights were learned for, each on its own. */
export const kinds = ['sentences', 'commands', 'settings', 'diffs'] as const

export type Kind = (typeof kinds)[number]

const kindOfType: Readonly<Partial<Record<ArtifactType, Kind>>> = {
  plan: 'sentences',
  analysis: 'sentences',
  agent_output: 'sentences',
  general: 'sentences',
  trade: 'sentences',
  sanctions_screening: 'sentences',
  shell_command: 'commands',
  config_change: 'settings',
  code_diff: 'diffs',
  patch: 'diffs',
}

/** The weights of each kind, and the score above which they alone are a concern: where rules see less, words count more. */
const learned: Readonly<Record<Kind, { weights: Weights; alarm: number }>> = {
  sentences: { weights: parseWeights(sentences.bias, sentences.weights), alarm: 0 },
  commands: { weights: parseWeights(commands.bias, commands.weights), alarm: 1 },
  settings: { weights: parseWeights(settings.bias, settings.weights), alarm: 0.5 },
  diffs: { weights: parseWeights(diffs.bias, diffs.weights), alarm: 0.5 },
}

const textToWeigh = ({ type, prose, text }: Artifact): string => {
  if (type === 'general') return proseOf(prose)
  return type === 'plan' || type === 'analysis' || type === 'agent_output' ? prose.trim() : text.trim()
}

/** What an artifact is weighed by; undefined where it is not weighed. */
export const readFeatures = (artifact: Artifact): { kind: Kind; features: Features } | undefined => {
  const kind = kindOfType[artifact.type]
  const text = textToWeigh(artifact)
  if (!kind || text === '' || text.length > maxLength) return undefined
  const features = kind === 'diffs' ? readDiffFeatures(artifact.lines) : readTextFeatures(artifact.type, text)
  return features.wordCount < leastWords ? undefined : { kind, features }
}

/** The score of the whole, and of the piece of it that reads worst: harmless sentences around it must not hide one. */
type Wording = { kind: Kind; score: number; worst: number }

const pieceLength = 200

/** A piece of a few sentences says less than the whole: it is a concern by itself only where it is quite like what went wrong. */
const pieceAlarm = 3

/** A text in pieces of some 200 characters, cut between sentences or lines. */
const toPieces = (text: string): string[] => {
  const pieces: string[] = []
  for (const sentence of text.split(/(?<=[.!?;])\s+|\n/)) {
    const last = pieces.at(-1)
    if (last === undefined || last.length + sentence.length > pieceLength) pieces.push(sentence)
    else pieces[pieces.length - 1] = `${last} ${sentence}`
  }
  return pieces
}

const wordings = new WeakMap<Artifact, { wording: Wording | undefined }>()

const weighWorst = (artifact: Artifact, kind: Kind, score: number): number => {
  if (kind === 'diffs') return score
  const pieces = toPieces(textToWeigh(artifact)).map(piece => readTextFeatures(artifact.type, piece))
  const enough = pieces.filter(({ wordCount }) => wordCount >= leastWords)
  return Math.max(score, ...enough.map(features => weigh(learned[kind].weights, features)))
}

const weighArtifact = (artifact: Artifact): Wording | undefined => {
  const read = readFeatures(artifact)
  if (!read) return undefined
  const { kind, features } = read
  const score = weigh(learned[kind].weights, features)
  return { kind, score, worst: weighWorst(artifact, kind, score) }
}

/** How much an artifact is like those that went wrong (above 0) or like harmless ones (below); undefined where it is not weighed. */
export const readWording = (artifact: Artifact): Wording | undefined => {
  const known = wordings.get(artifact)
  if (known) return known.wording
  const wording = weighArtifact(artifact)
  wordings.set(artifact, { wording })
  return wording
}

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
    see(artifact) {
      const wording = readWording(artifact)
      if (!wording) return
      const { kind, score, worst } = wording
      const isPiece = score <= learned[kind].alarm
      if (isPiece && (kind !== 'sentences' || worst <= pieceAlarm)) return
      return `A weighing of words learned from labelled texts, not a fact found in this one: ${(isPiece ? worst : score).toFixed(2)}${isPiece ? ' for a piece of it' : ''}, where 0 lies between what went wrong and what was harmless.`
    },
  }),
]
