/** How bad a finding is: a blocker rejects, high and medium are concerns, low and info change nothing. */
export type Severity = 'blocker' | 'high' | 'medium' | 'low' | 'info'

export const severities = ['blocker', 'high', 'medium', 'low', 'info'] as const satisfies readonly Severity[]

/** Place in the artifact: a line of it, a file and its line in a diff, or a path in settings. */
export type Place = { file?: string; line?: number; path?: string }

/** Layers of findings: a parser and the fact table, the classifier over sentences or the whole, or a language model. */
export const layers = ['facts', 'sentences', 'wording', 'model'] as const

export type Layer = (typeof layers)[number]

/** One thing that is wrong with an artifact. */
export type Finding = {
  rule: string
  layer: Layer
  severity: Severity
  category: string
  detail: string
  fix: string
  place: Place
}

/** The finding for an address that the operator's registry rejects wherever it occurs. */
export const findingOfKnownBad = ({ address, reason }: { address: string; reason: string }): Finding => ({
  rule: 'known-bad-address',
  layer: 'facts',
  severity: 'blocker',
  category: 'onchain',
  detail: `${address} is known to be bad: ${reason}`,
  fix: 'Do not deal with it.',
  place: {},
})
