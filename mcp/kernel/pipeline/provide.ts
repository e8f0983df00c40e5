import { ToolError } from '../error.ts'
import { type Need, needLabel, needName } from '../need.ts'
import { type AnyTool, isFree } from '../tool.ts'
import type { World } from './world.ts'

export type Providing = Pick<World, 'ports' | 'own'>

/** Finds a need in this world; undefined where it is not configured. */
const provide = ({ ports, own }: Providing, need: Need): unknown =>
  typeof need === 'string' ? ports[need] : own.get(need)

/** Names what to configure for a missing need: of a port that lacks a need of its own, that one. */
const lackLabel = (world: Providing, need: Need): string => {
  const own = typeof need === 'string' || need.kind !== 'port' ? [] : need.needs
  const lack = own.find(part => provide(world, part) === undefined)
  return lack === undefined ? needLabel(need) : lackLabel(world, lack)
}

/** Needs that are not configured, as an operator calls them. */
export const missingNeeds = (world: Providing, needs: readonly Need[]): string[] =>
  needs.filter(need => provide(world, need) === undefined).map(need => lackLabel(world, need))

/** Lists what a tool lacks here: needs that are not configured, and a way to pay where each call costs something. */
export const missingFor = (
  world: Pick<World, 'ports' | 'own' | 'gate'>,
  { needs, price, free }: AnyTool,
): string[] => [
  ...missingNeeds(world, needs),
  ...(!isFree(price) && !world.gate && !free ? ['payment method'] : []),
]

/** Needs, each under its name. */
export const provideAll = (world: Providing, needs: readonly Need[]): Record<string, unknown> =>
  Object.fromEntries(needs.map(need => [needName(need), provide(world, need)]))

/** Throws `unavailable` that names the first need which is not configured, or the refusal that a tool has for that. */
export const requireNeeds = (
  world: Providing,
  who: string,
  needs: readonly Need[],
  refusal?: () => ToolError,
): void => {
  for (const need of needs)
    if (provide(world, need) === undefined)
      throw (
        refusal?.() ??
        new ToolError(
          'unavailable',
          `${who} needs "${lackLabel(world, need)}", which is not configured here.`,
        )
      )
}
