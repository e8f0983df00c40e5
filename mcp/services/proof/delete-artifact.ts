import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { artifactHash, artifactsIn, artifactToken, loadArtifact, toFileOwner } from './artifact.ts'

export default tool({
  name: 'delete_artifact',
  title: 'Delete an artifact',
  description:
    'Deletes what a call of yours made, such as a screenshot of browse, by its SHA-256, and makes room for others. Free.',
  keywords: ['remove', 'space', 'file'],
  input: z.object({ sha256: artifactHash, artifact_token: artifactToken }),
  output: z.object({ deleted: z.literal(true).describe('It is gone') }),
  needs: ['store', 'clock', 'files'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { tags: ['free'] },
  rest: { routes: ['DELETE /artifacts/:sha256'] },
  needsSetup: true,
  examples: [{ sha256: 'a'.repeat(64) }],
}).run(async ({ commit, clock, files, caller }, { sha256, artifact_token }) =>
  commit(async tx => {
    const now = clock.now()
    const { id } = await loadArtifact(tx, { caller, token: artifact_token, sha256, now })
    await artifactsIn(tx).delete(id)
    await files.release(tx, sha256, toFileOwner(id))
    return { deleted: true as const }
  }),
)
