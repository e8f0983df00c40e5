import { ToolError } from '../../../kernel/error.ts'
import type { Llm } from '../../../ports/llm/port.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { effectFamilies, table } from './facts/table.ts'
import type { Finding } from './finding.ts'
import type { TextJudgement, TextToJudge } from './judge-text.ts'
import { reviewByModel } from './model.ts'
import {
  gateVerdict,
  type ReversibilityGate,
  sortFindings,
  toEngine,
  toVerdict,
  type Verdict,
} from './verdict.ts'

/** Module for threads: the layers are never loaded beside the server. */
export const judgeModule = new URL(
  import.meta.url.endsWith('.ts') ? './judge-text.ts' : './judge-text.js',
  import.meta.url,
).href

/** Processor time that a text may take, some hundred times what it needs. */
const maxJudgeMs = 3000

const givenUp: Finding = {
  rule: 'not-read',
  layer: 'facts',
  severity: 'high',
  category: 'review',
  detail: 'It takes too long to read, and was given up: no layer has judged it.',
  fix: 'Send less of it, or part by part.',
  place: {},
}

const uncheckedText: TextJudgement = {
  findings: [givenUp],
  confidence: 0.3,
  layersRun: ['facts'],
  readAs: [],
  unread: ['the whole of it, which was given up'],
  mark: null,
  doubtful: [],
}

/** Judges a text of strangers in a thread, so that no text keeps others waiting. */
const judgeInThread = async (workers: Workers, text: TextToJudge): Promise<TextJudgement> => {
  try {
    return await workers.run<TextJudgement>(judgeModule, 'judgeText', text, maxJudgeMs)
  } catch (cause) {
    if (cause instanceof ToolError && cause.code === 'upstream') return uncheckedText
    throw cause
  }
}

/** The verdict on a text: that of its worst finding. */
export type TextReview = {
  verdict: Verdict
  confidence: number
  findings: readonly Finding[]
  gate: ReversibilityGate
  engine: string
  /** Families of effects, and the other layers that were run. */
  checksRun: readonly string[]
  /** The id of each. */
  checkIds: readonly string[]
  readAs: readonly string[]
  notChecked: readonly string[]
  mark: number | null
}

type Deps = {
  workers: Workers
  /** Asked besides, where the operator has one and the caller pays for it. */
  llm?: Llm | undefined
  questions?: number
  signal?: AbortSignal
  /** Findings of registries and states that are the caller's own. */
  further?: readonly Finding[]
}

/** Reviews a text by every layer: facts, sentences, the wording of the whole, and a model where there is one. The worst finding decides. */
export const reviewText = async (deps: Deps, text: TextToJudge): Promise<TextReview> => {
  const { workers, llm, further = [] } = deps
  const judged = await judgeInThread(workers, text)
  const asked = llm
    ? await reviewByModel(
        llm,
        { type: text.type, text: text.text, context: text.context, acts: judged.doubtful },
        { ...(deps.signal && { signal: deps.signal }), ...(deps.questions && { questions: deps.questions }) },
      )
    : undefined
  const findings = sortFindings([...further, ...judged.findings, ...(asked?.findings ?? [])])
  const layersRun = [...judged.layersRun, ...(asked ? (['model'] as const) : [])]
  const first = toVerdict(findings)
  const confidence = first === 'reject' ? 0.95 : judged.confidence
  const { verdict, gate } = gateVerdict(text.type, first, confidence)
  return {
    verdict,
    confidence,
    findings,
    gate,
    engine: toEngine(findings, layersRun),
    checksRun: [...effectFamilies, ...layersRun.filter(layer => layer !== 'facts')],
    checkIds: [...Object.keys(table), ...layersRun.filter(layer => layer !== 'facts')],
    readAs: judged.readAs,
    notChecked: [
      ...judged.unread,
      ...(asked
        ? []
        : [
            'what a language model would see: stakes, reasoning and claims. Without one a third of the dangers in plain words is found for sure',
          ]),
    ],
    mark: judged.mark,
  }
}
