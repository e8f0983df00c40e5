/** The store, as those who may not know it see it: `store/` knows nobody, and only edges open it. */
export type { ArchivePolicy, Collection, Index, Json, Query, Row, Store, Tx } from '../../../store/index.ts'
export { BadCursor } from '../../../store/index.ts'
