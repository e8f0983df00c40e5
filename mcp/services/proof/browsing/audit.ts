import { createHash } from 'node:crypto'
import { hashJson } from '../review/decision.ts'
import type { Observation } from './observation.ts'

const digest = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

export type AuditedPage = {
  request: {
    action: string
    url: string
    selector?: string | undefined
    steps: readonly object[]
    tier: number
  }
  observation: Observation
  startedAt: Date
  endedAt: Date
}

/** Result of a look at a page, by hashes, never contents: its SHA-256 over canonical JSON (RFC 8785) is the audit hash. */
export const auditBrowse = ({ request, observation, startedAt, endedAt }: AuditedPage) => ({
  v: 1,
  action: request.action,
  url_sha256: digest(request.url),
  selector_sha256: digest(request.selector ?? ''),
  steps_sha256: hashJson(request.steps),
  final_url_sha256: digest(observation.finalUrl),
  http_status: observation.httpStatus,
  title_sha256: digest(observation.title ?? ''),
  text_sha256: digest(observation.text),
  screenshots_sha256: observation.pictures.map(({ bytes }) => digest(bytes)),
  redirects_sha256: hashJson(observation.redirects),
  blocked_sha256: hashJson(observation.blocked),
  status: observation.status,
  tier: request.tier,
  runner: observation.runner,
  started_at: startedAt.toISOString(),
  ended_at: endedAt.toISOString(),
})
