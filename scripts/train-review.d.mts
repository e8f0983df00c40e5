import type { LabelledText } from '../test/services/proof/review/sets.ts'

/** The bytes of the asset that these texts teach; each classifier has its buckets halved `shrink` times. */
export const train: (
  texts: readonly LabelledText[],
  classify: Readonly<Record<string, unknown>>,
  shrink?: number,
) => Buffer
