/** Calls of skills that cost nothing (spec §4.5): a minute per client, and a UTC day per ally; over both they are paid. */
export const freeTier = {
  channels: ['a2a', 'mcp'] as const,
  flag: true,
  perMinute: 60,
  keyed: 100,
}
