/** Members of a JSON object from a stranger. */
export type JsonRecord = Record<string, unknown>

/** True for an object that is no list and not null. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a value is, else an empty one. */
export const asRecord = (value: unknown): Readonly<JsonRecord> => (isRecord(value) ? value : {})

/** The list that a value is, else an empty one. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The value of a JSON text; undefined for what is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object of a JSON text; undefined for what is none, or no object. */
export const parseRecord = (text: string): JsonRecord | undefined => {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}
