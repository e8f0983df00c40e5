import type { StoreUse } from './index.ts'

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`
const whole = (count: number): string => count.toLocaleString('en')

/** Describes the use of a store: documents in memory beside the limit, and archived ones on disk if any. */
export const describeUse = ({ documents, bytes, maxBytes, archived }: StoreUse): string => {
  const memory = `${whole(documents)} documents in memory, which takes ${megabytes(bytes)} of ${megabytes(maxBytes)}`
  if (archived.documents === 0) return memory
  return `${memory}, and ${whole(archived.documents)} archived ones, ${megabytes(archived.bytes)} on disk`
}
