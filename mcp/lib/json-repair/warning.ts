const sentences = {
  duplicate_key: 'The key appears more than once in its object; the last value is kept',
  precision: 'The number has more digits than a JSON number keeps; "result" holds the nearest one',
  out_of_range: 'The number is too large for a JSON number; "result" holds null',
  nested_json: 'The value is a string that itself holds JSON; send that string to read it',
  no_json: 'Nothing in the text looks like JSON',
  empty: 'The text is empty',
} as const

export type Warning = keyof typeof sentences

/** Warnings after which the result is not all that the text held. */
export const lossy: readonly Warning[] = ['duplicate_key', 'precision', 'out_of_range', 'no_json']

export const warningText = (type: Warning, detail?: string): string =>
  detail ? `${sentences[type]}: ${detail}` : `${sentences[type]}.`
