const isPlain = (text: string): boolean => !/[\0]|\p{Surrogate}/u.test(text)

/** True when no text in a JSON value, nor a name in it, has a NUL character or half a surrogate pair: no store keeps those. */
export const hasPlainTexts = (value: unknown): boolean => {
  if (typeof value === 'string') return isPlain(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, item]) => isPlain(name) && hasPlainTexts(item))
}
