import { measurePixels } from './pixels.ts'

export const lineVerdicts = ['missing', 'short', 'ok', 'long'] as const

/** A title or description as a page of results shows it. */
export type Line = {
  text: string | null
  /** Characters. */
  length: number
  /** Estimated width in Arial. */
  pixels: number
  verdict: (typeof lineVerdicts)[number]
}

/** Judges a line by its width, so that scripts with wide characters are treated like others. */
export const readLine = (
  text: string | null,
  { size, min, max }: { size: number; min: number; max: number },
): Line => {
  if (text === null) return { text, length: 0, pixels: 0, verdict: 'missing' }
  const pixels = measurePixels(text, size)
  const verdict = pixels < min ? 'short' : pixels > max ? 'long' : 'ok'
  return { text, length: [...text].length, pixels, verdict }
}
