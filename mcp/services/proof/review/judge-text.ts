import { type Act, readActs } from './act.ts'
import type { ArtifactType } from './artifact-type.ts'
import { flaggedArtifact } from './classify/artifacts.ts'
import { detectLanguage } from './classify/language.ts'
import { flaggedSentences, splitClauses, type Word } from './classify/sentences.ts'
import { wordingScore } from './classify/wording.ts'
import { findFacts, toFinding } from './facts/find-facts.ts'
import { findInstructions } from './facts/injection.ts'
import { checkScreening } from './facts/sanctions.ts'
import { checkTrade } from './facts/trade.ts'
import type { Finding, Layer } from './finding.ts'
import { parseOrders, type TradeTerms } from './read/trade-terms.ts'
import type { TradingState } from './trading-state.ts'
import { severityRank, sortFindings, toVerdict } from './verdict.ts'

/** The price in USD that a market marks a coin with. */
export type MarkPrice = { coin: string; price: number }

/** An artifact of any type but an on-chain action, and what it is judged with. */
export type TextToJudge = {
  type: ArtifactType
  text: string
  context?: string | undefined
  state?: TradingState | undefined
  marks?: readonly MarkPrice[]
}

/** Findings of this machine's layers in a text, how it was read, and the mark that a trade was held against. */
export type TextJudgement = {
  findings: Finding[]
  confidence: number
  /** The layers that were run. */
  layersRun: Layer[]
  readAs: readonly string[]
  /** Unread parts; nothing with an unread part is approved. */
  unread: readonly string[]
  mark: number | null
  /** The acts that are not plain: a model is asked about each. */
  doubtful: readonly string[]
}

const findMark = (symbol: string, marks: readonly MarkPrice[]): number | undefined =>
  marks.find(({ coin }) => new RegExp(`^${coin}(?:[-/_]?(?:USDT?|USDC|PERP)\\b|$)`, 'i').test(symbol))?.price

/** A text that names a coin of the market without a field for it. */
const namedCoin = (text: string, marks: readonly MarkPrice[]): string | undefined =>
  marks.find(({ coin }) => new RegExp(`\\b${coin}(?:[-/](?:USDT?|USDC|PERP))?\\b`).test(text))?.coin

const isTrade = (type: ArtifactType, { side, fields }: TradeTerms): boolean =>
  type === 'trade' ||
  (type === 'general' &&
    side !== undefined &&
    ['size', 'qty', 'quantity', 'leverage'].some(key => key in fields))

type Order = { terms: TradeTerms; mark: number | undefined }

/** The orders of a trade, each with the mark of its market: each is judged by itself, and the worst decides. */
const readOrders = (
  type: ArtifactType,
  text: string,
  marks: readonly MarkPrice[],
): { orders: Order[]; isCut: boolean } => {
  if (type !== 'trade' && type !== 'general') return { orders: [], isCut: false }
  const { orders, isCut } = parseOrders(text)
  const read = orders
    .filter(terms => isTrade(type, terms))
    .map(terms => {
      const symbol = terms.symbol ?? namedCoin(terms.text, marks)
      return { terms: { ...terms, symbol }, mark: symbol === undefined ? undefined : findMark(symbol, marks) }
    })
  return { orders: read, isCut: isCut && read.length > 0 }
}

const excerpt = (text: string): string => {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}

const lineAt = (text: string, at: number): number => {
  let line = 1
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++
  return line
}

const maxSentences = 20

/** Classifies sentences: nothing around them lowers a finding. */
const sentenceFindings = (prose: string, words: Word[]): Finding[] =>
  flaggedSentences(prose, words)
    .slice(0, maxSentences)
    .map(({ start, end }) => ({
      rule: 'sentence',
      layer: 'sentences' as const,
      severity: 'medium' as const,
      category: 'wording',
      detail: `It reads like what went wrong elsewhere: “${excerpt(prose.slice(start, end))}”`,
      fix: 'Say what is checked, who decides and how it is undone; or let a person read it.',
      place: { line: lineAt(prose, start) },
    }))

const wordingFinding = (what: string, place: Finding['place']): Finding => ({
  rule: 'wording',
  layer: 'wording',
  severity: 'medium',
  category: 'wording',
  detail: `${what} reads like those that went wrong. This is advisory: it is of the whole, and text that is added may change it.`,
  fix: 'Let a person read it, or say what is checked, who decides and how it is undone.',
  place,
})

const toKind = ({ kind, files }: Act): 'commands' | 'changes' | 'settings' | undefined =>
  kind === 'commands'
    ? 'commands'
    : files.length > 0
      ? 'changes'
      : kind === 'settings'
        ? 'settings'
        : undefined

const signs = { added: '+', removed: '-', context: ' ', plain: ' ' } as const

/** Classifies the whole of each act, and of the sentences. */
const wordingFindings = (acts: readonly Act[], prose: string, words: readonly Word[]): Finding[] => {
  const findings: Finding[] = []
  for (const act of acts) {
    const kind = toKind(act)
    if (!kind || act.isMention) continue
    const [file] = act.files
    const text = file ? file.lines.map(({ change, text }) => `${signs[change]}${text}`).join('\n') : act.text
    const { score, threshold } = flaggedArtifact(kind, text)
    if (score > threshold)
      findings.push(
        wordingFinding(
          { commands: 'The script', changes: 'The change', settings: 'The setting' }[kind],
          file && file.name !== '' ? { file: file.name } : (act.commands[0]?.place ?? {}),
        ),
      )
  }
  const whole = wordingScore(prose, words)
  if (whole && whole.score > whole.threshold) findings.push(wordingFinding('The text', {}))
  return findings
}

const omission =
  /(?:^|\n)[^\w\n]{0,8}(?:output |content |contents |text |file |diff |rest |remainder )?(?:is |was |of file )?(?:truncated|snipped|omitted|cut off)\b(?!["'`])|\b\d+ (?:more )?(?:lines|rows|bytes|characters) (?:more|omitted|truncated|not shown|left out)\b/i
const encodedBlock = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{400,}={0,2}/
const binaryFile = /^(?:Binary files .* differ|GIT binary patch)$/m
const foreignScript = /[\u0370-\u052f\u0530-\u1cff\u2c00-\ua95f\ua980-\ud7ff\uf900-\ufaff]{4,}/u

/** Lists a text's unread parts. */
const findUnread = (text: string, prose: string, problems: readonly string[]): string[] => {
  const { language, isRead } = prose.trim() === '' ? { language: '', isRead: true } : detectLanguage(prose)
  return [
    ...problems,
    ...(isRead ? [] : [`text in a language that is not read (${language})`]),
    ...(prose.trim() === '' && foreignScript.test(text) ? ['words in a script that is not read'] : []),
    ...(omission.test(text) ? ['the part that was left out'] : []),
    ...(text.split('\n').some(row => row.length >= 400 && encodedBlock.test(row))
      ? ['an encoded block']
      : []),
    ...(binaryFile.test(text) ? ['a binary file'] : []),
  ]
}

const unreadFinding = (what: string): Finding => ({
  rule: 'not-read',
  layer: 'facts',
  severity: 'medium',
  category: 'review',
  detail: `It was not read: ${what}.`,
  fix: 'Send it in English and in full, or let a person read that part.',
  place: {},
})

const readConfidence = (
  findings: readonly Finding[],
  type: ArtifactType,
  terms: TradeTerms | undefined,
  unread: number,
): number => {
  const verdict = toVerdict(findings)
  if (verdict === 'reject') return 0.95
  const { side, size, notional, price, symbol } = terms ?? {}
  // A trade of which no term is stated cannot be held against anything.
  if (type === 'trade' && terms && [side, size, notional, price, symbol].every(term => term === undefined))
    return 0.4
  if (unread > 0) return 0.5
  if (verdict === 'approve') return 0.75
  return findings.some(({ layer, severity }) => layer === 'facts' && severityRank(severity) <= 2) ? 0.85 : 0.6
}

const maxDoubtful = 20

const isPlain = ({ kind, text, commands, statements }: Act): boolean =>
  kind === 'sentences' ||
  (kind === 'code' && text.length < 40) ||
  (kind === 'commands' && commands.length === 0) ||
  (kind === 'statements' && statements.length === 0)

/** Reads a text in acts, and judges it by every layer on this machine. None lowers what another finds. */
export const judgeText = ({ type, text, context = '', state, marks = [] }: TextToJudge): TextJudgement => {
  const { acts, prose, readAs, problems } = readActs(type, text)
  const { orders, isCut } = readOrders(type, text, marks)
  const unread = findUnread(text, prose, isCut ? [...problems, 'the orders after the fiftieth'] : problems)
  const words = splitClauses(prose)
  const findings = [
    ...acts.flatMap(findFacts),
    ...[...findInstructions(text), ...findInstructions(context, 'context')].map(fact =>
      toFinding('prompt-injection', fact),
    ),
    ...orders.flatMap(({ terms, mark }) =>
      checkTrade(terms, { state, mark, context }).map(fact => toFinding('trade-terms', fact)),
    ),
    ...(type === 'sanctions_screening'
      ? checkScreening(text).map(fact => toFinding('sanctions-listed', fact))
      : []),
    ...unread.map(unreadFinding),
    ...sentenceFindings(prose, words),
    ...wordingFindings(acts, prose, words),
  ]
  const sorted = sortFindings(findings)
  return {
    findings: sorted,
    confidence: readConfidence(sorted, type, orders[0]?.terms, unread.length),
    layersRun: prose.trim() === '' ? ['facts', 'wording'] : ['facts', 'sentences', 'wording'],
    readAs,
    unread,
    mark: orders.find(({ mark }) => mark !== undefined)?.mark ?? null,
    doubtful: acts
      .filter(act => !isPlain(act))
      .slice(0, maxDoubtful)
      .map(act => act.text.slice(0, 4000)),
  }
}
