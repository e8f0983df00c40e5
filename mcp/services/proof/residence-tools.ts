import type { AnyTool } from '../../kernel/tool.ts'
import residenceAct from './residence-act.ts'
import residenceGet from './residence-get.ts'
import residenceMe from './residence-me.ts'
import residenceProfile from './residence-profile.ts'

/** Tools for an account's standing and its profile. */
export const residenceTools: readonly AnyTool[] = [residenceMe, residenceGet, residenceProfile, residenceAct]
