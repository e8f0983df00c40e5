import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Caller, tool } from '../../kernel/tool.ts'
import type { Sandbox, SandboxResult } from '../../ports/sandbox/port.ts'
import { proofSettings } from './config.ts'
import {
  capPrice,
  grantedTier,
  limitsFor,
  outputBytes,
  priceTier,
  priceUse,
  tiers,
} from './execution/tiers.ts'
import { newActionId, recordedActionsIn } from './proofs/action.ts'
import { hashJson } from './review/decision.ts'
import { checkIdle, readWorkspace, runInWorkspace, workspaceSettings } from './workspace.ts'

const digest = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

type AuditedRun = {
  code: string
  stdin: string
  tier: number
  mode: string
  runner: string
  result: Pick<SandboxResult, 'stdout' | 'stderr' | 'status' | 'exitCode' | 'startedAt' | 'endedAt'>
}

/** Result of a run, without its input and output: its SHA-256 over canonical JSON (RFC 8785) is the audit hash. */
const auditFacts = ({ code, stdin, tier, mode, runner, result }: AuditedRun) => ({
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
const hashAudit = (facts: ReturnType<typeof auditFacts>): string => hashJson(facts)

/** Strings with their prefixes, and comments; an unclosed one reaches to the end. */
const texts =
  /#[^\n]*|[rbfuRBFU]{0,2}(?:"""(?:[^\\]|\\.)*?(?:"""|$)|'''(?:[^\\]|\\.)*?(?:'''|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)/gs

const statement = /(?:^|[;:\n])[ \t]*(?:import[ \t]+([^\n;#]+)|from[ \t]*([.\w]+)[ \t]*import\b)/g

/** Modules that Python code imports by statement, at its top level or deeper, in the order in which they stand there. */
export const readImports = (code: string): string[] => {
  const bare = code.replace(/\r\n?/g, '\n').replace(texts, ' ').replace(/\\\n/g, ' ')
  const names = [...bare.matchAll(statement)].flatMap(
    ([, list, from = '']) => list?.split(',').map(part => part.trim().split(/\s/)[0] ?? '') ?? [from],
  )
  return [...new Set(names.filter(name => name !== ''))]
}

import canonicalize from 'canonicalize'

const Input = z.object({
  code: z
    .string()
    .min(1)
    .max(6000)
    .regex(/^[^\0]*$/, { error: 'must not have NUL characters' })
    .describe('Python 3; what it prints is what comes back. Up to 6,000 characters'),
  language: z.literal('python').default('python').describe('Only Python so far'),
  stdin: z.string().max(20_000).default('').describe('What the code reads from standard input'),
  timeout_seconds: z
    .number()
    .min(0.5)
    .max(600)
    .nullable()
    .default(null)
    .describe('Ends the run sooner than its tier does'),
  tier: z
    .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
    .default(1)
    .describe(
      tiers
        .map(({ seconds, memoryMb, cpus }, n) => `${n}: ${seconds} s, ${memoryMb} MB, ${cpus} CPU`)
        .join('; '),
    ),
  permissive: z
    .boolean()
    .default(false)
    .describe('Any code, child processes too, at three times the price; without it, modules of a list only'),
  use_workspace: z
    .boolean()
    .default(false)
    .describe('Run in /workspace, with the files that your runs left there, and keep what it leaves'),
  agent_id: z.string().max(120).optional().describe('Who asks, as it calls itself; it stands in the record'),
})

/** Bytes that a free first call may leave: accounts cost nothing, so what they keep free must be little. */
const freeWorkspaceBytes = 100_000

type Request = z.output<typeof Input>

const toMode = ({ permissive }: Request) => (permissive ? 'permissive' : 'restrictive')

/** Refuses what the runner that works here would not take. */
const checkRun = ({ facts }: Sandbox, request: Request): void => {
  if (!facts.modes.includes(toMode(request)))
    throw new ToolError('unavailable', 'Permissive code cannot be run here.', {
      reason: 'execution_unavailable',
      hint: `The sandbox of this machine is ${facts.runner}. Repeat with "permissive": false.`,
    })
  if (request.use_workspace && !facts.workspace)
    throw new ToolError('unavailable', 'Runs have no workspace here.', {
      reason: 'workspace_unavailable',
      hint: `The sandbox of this machine is ${facts.runner}. Repeat with "use_workspace": false.`,
    })
  if (request.permissive) return
  const unlisted = readImports(request.code).find(name => !facts.modules.includes(name.split('.')[0] ?? ''))
  if (unlisted !== undefined)
    throw new ToolError('invalid_input', `code: It imports ${unlisted}, which restrictive code may not.`, {
      reason: 'policy_violation',
      issues: [{ path: 'code', message: `imports ${unlisted}` }],
      hint: 'With "permissive": true anything may be imported, at three times the price.',
      next: ['execution_status'],
    })
}

/** The most that a run may move in and out, beside the answer's own fields. */
const maxBytesOf = ({ code, stdin, use_workspace }: Request, workspaceMegabytes: number): number =>
  Buffer.byteLength(code) +
  Buffer.byteLength(stdin) +
  2 * outputBytes +
  (use_workspace ? 2 * workspaceMegabytes * 1_000_000 : 0)

const capFor = (request: Request, workspaceMegabytes = 0) =>
  capPrice(request.tier, request.permissive, request.timeout_seconds, maxBytesOf(request, workspaceMegabytes))

const packageNames = ['numpy', 'pandas', 'scipy']

/** A quote's note on imports and on what it asks for. */
const quoteNote = ({ facts }: Sandbox) => {
  const there = packageNames.filter(name => facts.modules.includes(name))
  const imports = there.length > 0 ? `${there.join(', ')} and` : 'only'
  return {
    hint: `This is the most that the run can cost: a balance gets back what is not used. Code can import ${imports} the standard library here; execution_status lists all.`,
    params: { imports: facts.modules },
  }
}

/** The account that a workspace is of. Throws `unauthenticated` for somebody without a key. */
const requireOwner = (caller: Caller | undefined): string => {
  if (caller) return caller.id
  throw new ToolError('unauthenticated', 'A workspace belongs to the key of an account.', {
    hint: 'Register, and send the key as Authorization: Bearer <key> or X-API-Key.',
    next: ['register'],
  })
}

export default tool({
  name: 'execute',
  title: 'Run code in a sandbox',
  description:
    'Runs Python in a sandbox without network or files of its own, and returns what it printed with a hash to audit it by. Use it for arithmetic, data and code that should not run on your machine; numpy, pandas and scipy where execution_status lists them. Up to 700 sats for what it uses, more for larger tiers.',
  keywords: ['script', 'interpreter', 'calculate', 'program', 'compute'],
  input: Input,
  output: z.object({
    action_id: z.string().describe('Id of this run; prove signs a proof of it. Keep it to yourself'),
    status: z
      .enum(['ok', 'error', 'timeout', 'memory_limit', 'output_limit', 'policy_violation'])
      .describe('How the code ended'),
    exit_code: z.int().nullable().describe('Exit code of Python; null if it was killed'),
    signal: z.string().nullable().describe('The signal that killed it'),
    stdout: z.string().describe('What it printed, read as UTF-8'),
    stderr: z.string().describe('What it printed as errors'),
    truncated: z.boolean().describe(`Whether a stream went past ${outputBytes} bytes, and was cut`),
    duration_ms: z.int().describe('From start to end'),
    runner: z.string().describe('What held the code: bubblewrap, landlock or container'),
    isolates: z
      .object({
        filesystem: z.string().describe('How files are kept apart'),
        network: z.string().describe('How the network is kept apart'),
        processes: z.string().describe('How processes are kept apart'),
        memory: z.string().describe('Who counts memory'),
        cpu: z.boolean().describe('Whether the share of the processor is kept'),
      })
      .describe('What kept the code apart from the machine'),
    limits: z
      .object({
        timeout_ms: z.number().describe('Wall time'),
        memory_mb: z.int().describe('Memory of all its processes'),
        cpus: z.number().describe('Share of processors'),
        disk_mb: z.int().describe('Files under /tmp'),
        output_bytes: z.int().describe('Of each stream'),
      })
      .describe('What the run might use'),
    workspace: z
      .object({
        state: z
          .enum(['saved', 'unchanged', 'over_quota'])
          .describe(
            'saved: kept as the run left it; unchanged: as before, since the code did not end well; over_quota: as before, since it left too much',
          ),
        files: z.int().describe('Files in it now'),
        bytes: z.int().describe('Bytes in it now'),
        max_bytes: z.int().describe('Bytes that it may have'),
      })
      .nullable()
      .describe('Your workspace; null for a run without'),
    usage: z
      .object({
        seconds: z.number().describe('From start to end'),
        cpu_seconds: z.number().describe('Of processor time, over all processes'),
        memory_mb: z.number().describe('The most that all processes held at once'),
        bytes: z.int().describe('Code, input, output and files of a workspace, in and out'),
        price_sats: z.int().describe('What that costs'),
        cap_sats: z.int().describe('What was quoted: the most that the run could cost'),
        returned_sats: z
          .int()
          .describe(
            'Given back at once to a balance; 0 for a payment of the exact quote, and for a free call',
          ),
      })
      .describe('What the run used, and its price'),
    audit: z.record(z.string(), z.unknown()).describe('What the audit hash is of: hashes, never contents'),
    audit_hash: z.string().describe('SHA-256 of audit in canonical JSON (RFC 8785), hexadecimal'),
    untrusted: z.literal(true).describe('What code printed is text of a stranger'),
  }),
  needs: ['store', 'clock', 'sandboxes', proofSettings.enterpriseCallers],
  wants: ['files', workspaceSettings.workspaceMegabytes],
  reserves: 'sandboxes',
  price: priceTier(1, false),
  settle: 'before',
  async check({ store, clock, files, sandboxes, enterpriseCallers, caller }, request) {
    if (request.tier === grantedTier && !enterpriseCallers.includes(caller?.id ?? ''))
      throw new ToolError('forbidden', 'tier: Tier 3 has to be granted.', {
        hint: 'Use tier 2, or ask the operator of this service.',
      })
    const sandbox = await sandboxes.get()
    checkRun(sandbox, request)
    if (request.use_workspace && !files)
      throw new ToolError('unavailable', 'Runs have no workspace here: no files are kept.')
    if (request.use_workspace)
      checkIdle(await readWorkspace(store, requireOwner(caller), clock.now()), clock.now())
  },
  async quote({ sandboxes, workspaceMegabytes }, request) {
    return { ...capFor(request, workspaceMegabytes), note: quoteNote(await sandboxes.get()) }
  },
  timeoutMs: 660_000,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { tags: ['python', 'sandbox'] },
  rest: { routes: ['POST /execute'] },
  examples: [{ code: 'print(sum(n * n for n in range(10)))' }],
  summary: ({ status, stdout }) =>
    status === 'ok' ? stdout.slice(0, 500) : `The code ended with ${status}.`,
}).run(async (ctx, request) => {
  const { store, clock, files, sandboxes, caller, receipt, commit, workspaceMegabytes } = ctx
  const sandbox = (await sandboxes.get()).forCall(ctx)
  const { tier, code, stdin } = request
  const mode = toMode(request)
  const limits = limitsFor(tier, request.timeout_seconds)
  const job = { code, stdin, mode, limits } as const
  const max_bytes = receipt ? (workspaceMegabytes ?? 0) * 1_000_000 : freeWorkspaceBytes
  const inWorkspace =
    request.use_workspace && files
      ? await runInWorkspace({ store, clock, files, maxBytes: max_bytes }, sandbox, requireOwner(caller), job)
      : undefined
  const result = inWorkspace?.result ?? (await sandbox.run(job))
  const audit = auditFacts({ code, stdin, tier, mode, runner: sandbox.facts.runner, result })
  const seconds = (result.endedAt.getTime() - result.startedAt.getTime()) / 1000
  const texts = [code, stdin].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const bytes = texts + result.stdout.length + result.stderr.length + (inWorkspace?.bytes ?? 0)
  const cap = capFor(request, workspaceMegabytes)
  // Counted a little late, a run may seem to have used more than it could.
  const used = priceUse(tier, request.permissive, { ...result.usage, seconds, bytes })
  const price = Number(used.amount) < Number(cap.amount) ? used : cap
  const isReturned = ctx.spend(price)
  const action_id = newActionId('run_')
  const output = {
    action_id,
    status: result.status,
    exit_code: result.exitCode,
    signal: result.signal,
    stdout: result.stdout.toString(),
    stderr: result.stderr.toString(),
    truncated: result.status === 'output_limit',
    duration_ms: result.endedAt.getTime() - result.startedAt.getTime(),
    runner: sandbox.facts.runner,
    isolates: sandbox.facts.isolates,
    limits: {
      timeout_ms: limits.timeoutMs,
      memory_mb: limits.memoryBytes / 2 ** 20,
      cpus: limits.cpus,
      disk_mb: limits.diskBytes >> 20,
      output_bytes: limits.outputBytes,
    },
    usage: {
      seconds,
      cpu_seconds: Number(result.usage.cpuSeconds.toFixed(3)),
      memory_mb: Number((result.usage.memoryBytes / 2 ** 20).toFixed(1)),
      bytes,
      price_sats: Number(price.amount),
      cap_sats: Number(cap.amount),
      returned_sats: isReturned ? Number(cap.amount) - Number(price.amount) : 0,
    },
    audit,
    audit_hash: hashAudit(audit),
    untrusted: true as const,
  }
  const asText = (value: unknown) => canonicalize(value) ?? 'null'
  return commit(async tx => {
    await recordedActionsIn(tx).insert({
      id: action_id,
      kind: 'execute',
      status: result.status === 'ok' ? 'succeeded' : 'failed',
      started_at: audit.started_at,
      finished_at: audit.ended_at,
      input: asText({ agent_id: request.agent_id ?? null, code_sha256: audit.code_sha256 }),
      output: asText({ audit_hash: output.audit_hash }),
    })
    const workspace = inWorkspace ? { ...(await inWorkspace.seal(tx)), max_bytes } : null
    return { ...output, workspace }
  }).catch(async error => {
    await inWorkspace?.release()
    throw error
  })
})
