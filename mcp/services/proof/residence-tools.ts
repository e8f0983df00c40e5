import type { AnyTool } from '../../kernel/tool.ts'
import residenceAct from './residence-act.ts'
import residenceGet from './residence-get.ts'
import residenceMe from './residence-me.ts'
import residenceProfile from './residence-profile.ts'

/** What an account is here, and what it says of itself. */
export const residenceTools: readonly AnyTool[] = [residenceMe, residenceGet, residenceProfile, residenceAct]
