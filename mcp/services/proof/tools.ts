import type { AnyTool } from '../../kernel/tool.ts'
import validate from './validate.ts'

/** The tools that are finished. The service lists them once its first half is whole. */
export const tools: readonly AnyTool[] = [validate]
