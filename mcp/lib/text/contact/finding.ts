/** Possible contact detail: `score` says how surely, 1 and more is one. `at` counts in the reading it stands in. */
export type ContactFinding = {
  kind: 'email' | 'url' | 'phone' | 'handle' | 'wallet' | 'hidden'
  at: number
  text: string
  score: number
}
