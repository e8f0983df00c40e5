import type { z } from 'zod'
import type { Dns } from '../../../ports/index.ts'
import { shown } from '../mail-policy/notes.ts'
import { checkHost } from './check-host.ts'
import type { SpfCheck } from './report.ts'

type Client = { ip?: string | undefined; sender?: string | undefined; helo?: string | undefined }

const shownOrNull = (text: string | null, most: number): string | null =>
  text === null ? null : shown(text, most)

/** SPF for a client, made safe to show; null when no ip was given. */
export const evaluate = async (
  dns: Dns,
  domain: string,
  { ip, sender = `postmaster@${domain}`, helo = domain }: Client,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<z.input<typeof SpfCheck> | null> => {
  if (ip === undefined) return null
  const outcome = await checkHost(dns, { ip, domain, sender, helo, now, signal })
  return {
    ip,
    sender: shown(sender, 320),
    helo: shown(helo, 255),
    ...outcome,
    mechanism: shownOrNull(outcome.mechanism, 500),
    domain: shown(outcome.domain, 253),
    explanation: shownOrNull(outcome.explanation, 500),
    problem: shownOrNull(outcome.problem, 500),
  }
}
