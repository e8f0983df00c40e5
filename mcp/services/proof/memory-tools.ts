import type { AnyTool } from '../../kernel/tool.ts'
import memoryDelete from './memory-delete.ts'
import memoryGet from './memory-get.ts'
import memoryList from './memory-list.ts'
import memorySearch from './memory-search.ts'
import memoryStore from './memory-store.ts'

/** Text memory for accounts and paying addresses. */
export const memoryTools: readonly AnyTool[] = [
  memoryStore,
  memoryGet,
  memoryList,
  memorySearch,
  memoryDelete,
]
