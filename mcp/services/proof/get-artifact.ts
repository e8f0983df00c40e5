import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { ArtifactFacts, artifactHash, artifactToken, loadArtifact, toArtifactFacts } from './artifact.ts'

/** Bytes that fit into an answer in JSON; more are had from the address. */
const maxInlineBytes = 4_000_000

export default tool({
  name: 'get_artifact',
  title: 'Get an artifact',
  description:
    'Returns what a call of yours made, such as a screenshot of browse, in base64, by its SHA-256. Only who made it gets it. GET /artifacts/{sha256} gives the bytes themselves. Free.',
  keywords: ['download', 'picture', 'file', 'read', 'earlier'],
  input: z.object({ sha256: artifactHash, artifact_token: artifactToken }),
  output: ArtifactFacts.extend({ base64: z.string().describe('Its bytes in base64') }),
  needs: ['store', 'clock', 'files'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['free'] },
  rest: { routes: [] },
  needsSetup: true,
  examples: [{ sha256: 'a'.repeat(64) }],
  summary: ({ bytes, content_type }) => `${bytes} bytes of ${content_type}.`,
}).run(async ({ store, clock, files, caller }, { sha256, artifact_token }) => {
  const artifact = await loadArtifact(store, { caller, token: artifact_token, sha256, now: clock.now() })
  if (artifact.bytes > maxInlineBytes)
    throw new ToolError('too_large', `It has ${artifact.bytes} bytes, more than fit into an answer.`, {
      hint: `GET /artifacts/${sha256} gives them.`,
    })
  const chunks: Uint8Array[] = []
  for await (const chunk of files.read(sha256)) chunks.push(chunk)
  return { ...toArtifactFacts(artifact), base64: Buffer.concat(chunks).toString('base64') }
})
