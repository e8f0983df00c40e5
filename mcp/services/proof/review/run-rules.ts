import { ToolError } from '../../../kernel/error.ts'
import type { Workers } from '../../../ports/index.ts'
import type { Finding } from './finding.ts'
import type { TextJudgement, TextToJudge } from './judge-text.ts'
import { gateVerdict, toVerdict } from './verdict.ts'

/** What a thread loads: the rules are never loaded beside the server. */
export const rulesModule = new URL(
  import.meta.url.endsWith('.ts') ? './judge-text.ts' : './judge-text.js',
  import.meta.url,
).href

/** Processor time that rules may take over one text, some hundred times what they need. */
const maxRulesMs = 3000

const unreadable: Finding = {
  rule: 'unreadable',
  severity: 'high',
  category: 'review',
  detail: 'It takes too long to read, and was given up: no rule has judged it.',
  fix: 'Send less of it, or part by part.',
  place: {},
}

/** What is said of a text that the rules could not be run over to their end: it is not approved. */
const unjudged = ({ type }: TextToJudge): TextJudgement => {
  const confidence = 0.3
  return {
    verdict: gateVerdict(type, toVerdict([unreadable]), confidence).verdict,
    confidence,
    findings: [unreadable],
    checksRun: [],
    readAs: [],
    problems: ['the whole of it, which was given up'],
    mark: null,
  }
}

const isGivenUp = (cause: unknown): boolean => cause instanceof ToolError && cause.code === 'upstream'

/** Runs the rules over a text of strangers in a thread, so that no text keeps others waiting. */
export const runRules = async (workers: Workers, text: TextToJudge): Promise<TextJudgement> => {
  try {
    return await workers.run<TextJudgement>(rulesModule, 'judgeText', text, maxRulesMs)
  } catch (cause) {
    if (isGivenUp(cause)) return unjudged(text)
    throw cause
  }
}
