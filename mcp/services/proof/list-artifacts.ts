import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import {
  ArtifactFacts,
  artifactSettings,
  artifactToken,
  findOwner,
  listArtifacts,
  maxArtifacts,
  toArtifactFacts,
} from './artifact.ts'

export default tool({
  name: 'list_artifacts',
  title: 'List your artifacts',
  description:
    'Lists what calls of yours made, such as screenshots of browse, the newest first, with what you may keep. Free.',
  keywords: ['files', 'stored', 'images', 'quota', 'retrieve', 'earlier'],
  input: z.object({ artifact_token: artifactToken }),
  output: z.object({
    artifacts: z.array(ArtifactFacts).describe('Artifacts, the newest first'),
    bytes: z.int().describe('Bytes that they take'),
    max_bytes: z.int().describe('Bytes that they may take'),
    max_artifacts: z.int().describe('How many there may be'),
  }),
  needs: ['store', 'clock', artifactSettings.artifactMegabytes],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['free'] },
  rest: { routes: ['GET /artifacts'] },
  examples: [{}],
  summary: ({ artifacts }) => `${countText(artifacts.length, 'artifact')}.`,
}).run(async ({ store, clock, caller, artifactMegabytes }, { artifact_token }) => {
  const owner = findOwner(caller, artifact_token)
  const all = owner === undefined ? [] : await listArtifacts(store, owner)
  const now = clock.now().toISOString()
  const artifacts = all
    .filter(({ is_draft, expires_at }) => !is_draft && expires_at > now)
    .map(toArtifactFacts)
  return {
    artifacts,
    bytes: artifacts.reduce((sum, { bytes }) => sum + bytes, 0),
    max_bytes: artifactMegabytes * 1_000_000,
    max_artifacts: maxArtifacts,
  }
})
