import { createHash } from 'node:crypto'
import type { SandboxResult } from '../../../ports/sandbox/port.ts'
import { hashJson } from '../review/decision.ts'

const digest = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

export type AuditedRun = {
  code: string
  stdin: string
  tier: number
  mode: string
  runner: string
  result: Pick<SandboxResult, 'stdout' | 'stderr' | 'status' | 'exitCode' | 'startedAt' | 'endedAt'>
}

/** Result of a run, without its input and output: its SHA-256 over canonical JSON (RFC 8785) is the audit hash. */
export const auditFacts = ({ code, stdin, tier, mode, runner, result }: AuditedRun) => ({
  v: 1,
  code_sha256: digest(code),
  stdin_sha256: digest(stdin),
  stdout_sha256: digest(result.stdout),
  stderr_sha256: digest(result.stderr),
  status: result.status,
  exit_code: result.exitCode,
  tier,
  mode,
  runner,
  started_at: result.startedAt.toISOString(),
  ended_at: result.endedAt.toISOString(),
})

/** The audit hash, 64 hexadecimal digits. */
export const hashAudit = (facts: ReturnType<typeof auditFacts>): string => hashJson(facts)
