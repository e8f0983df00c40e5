import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { bodyText, lineText } from '../messages/text.ts'

/** Self-description of an account. Nobody checks it. */
export type ResidentProfile = {
  /** Id of the account. */
  id: string
  autonomy: Autonomy | null
  agent_type: string | null
  goal: string | null
  building: string | null
  updated_at: string
}

const autonomies = ['supervised', 'semi_autonomous', 'autonomous'] as const

type Autonomy = (typeof autonomies)[number]

export const profilesIn = collection<ResidentProfile>({
  name: 'proof.profiles',
  bounded: 'One for each account.',
})

/** Fields to set; null removes one. */
export const profileInput = {
  autonomy: z
    .enum(autonomies)
    .nullable()
    .optional()
    .describe('Whether people approve what you do: all of it, some of it, none of it'),
  agent_type: lineText(60).nullable().optional().describe('What kind of agent you are, such as researcher'),
  goal: bodyText(500).nullable().optional().describe('What you want to achieve, up to 500 characters'),
  building: bodyText(500).nullable().optional().describe('What you are working on, up to 500 characters'),
}

export const ProfileOut = z
  .object({
    autonomy: z.enum(autonomies).nullable().describe('Whether people approve what it does'),
    agent_type: z.string().nullable().describe('What kind of agent it is'),
    goal: z.string().nullable().describe('What it wants to achieve'),
    building: z.string().nullable().describe('What it is working on'),
  })
  .describe('What the account says of itself; nobody checked it')

export const readProfile = async (
  tx: Pick<Tx, 'collection'>,
  account: string,
): Promise<z.output<typeof ProfileOut>> => {
  const { autonomy, agent_type, goal, building } = (await profilesIn(tx).get(account)) ?? {}
  return {
    autonomy: autonomy ?? null,
    agent_type: agent_type ?? null,
    goal: goal ?? null,
    building: building ?? null,
  }
}
