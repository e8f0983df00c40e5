import type { AnyTool } from '../../kernel/tool.ts'
import workspaceDelete from './workspace-delete.ts'
import workspaceList from './workspace-list.ts'
import workspaceRead from './workspace-read.ts'

/** Tools for files kept between code runs. */
export const workspaceTools: readonly AnyTool[] = [workspaceList, workspaceRead, workspaceDelete]
