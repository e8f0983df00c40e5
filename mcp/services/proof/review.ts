import { z } from 'zod'
import { tool } from '../../kernel/tool.ts'
import { transparencyLog } from './ledger/log.ts'
import { prices } from './prices.ts'
import { answerReview, checkRequest, quoteReview } from './review/answer.ts'
import { reviewOutput } from './review/answer-schema.ts'
import { artifactTypes } from './review/artifact-type.ts'
import { reviewSettings, tradingState } from './review/config.ts'
import { checkArtifact, judgeArtifact, maxArtifact } from './review/judge-artifact.ts'
import { reviewRequest } from './review/request-schema.ts'

export default tool({
  name: 'review',
  title: 'Review before acting',
  description:
    'An independent verdict on a command, diff, plan, configuration, trade, screening, transaction or text before it is acted on: approve, approve_with_concerns or reject, with each issue, its place, a fix, and a signed proof in the public ledger. Use it before what cannot be undone. 200 sats.',
  keywords: ['check', 'safe', 'audit', 'opinion', 'safety', 'code'],
  input: z.object({
    artifact: z
      .string()
      .max(maxArtifact, `must have at most ${maxArtifact} characters`)
      .describe('What is to be reviewed, as it would be used; up to 20,000 characters'),
    artifact_type: z.enum(artifactTypes).default('general').describe('What it is; general finds out'),
    include_trading_state: z.boolean().default(false).describe('Hold a trade against the live trading state'),
    ...reviewRequest,
  }),
  aliases: { artifact: ['action', 'proposed_action', 'input'] },
  output: z.object(reviewOutput),
  needs: ['store', 'clock', 'sign', 'workers', reviewSettings.knownBad, transparencyLog],
  wants: [tradingState, 'evm', 'llm'],
  price: prices.review,
  settle: 'commit',
  reserves: 'workers',
  async check({ clock }, input) {
    await checkArtifact(input, clock.now())
    checkRequest(input)
  },
  quote: quoteReview,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['review', 'safety'], text: ['review:<artifact>'] },
  rest: { routes: ['POST /review'] },
  examples: [
    { artifact: 'rm -rf "$BUILD"/*', artifact_type: 'shell_command' },
    { artifact: 'DELETE FROM orders;', context: 'Tidying up the test data' },
  ],
  summary: ({ verdict, summary }) => `${verdict.replaceAll('_', ' ')}: ${summary}`,
}).run(async (ctx, input) => {
  await checkArtifact(input, ctx.clock.now())
  checkRequest(input)
  return answerReview(ctx, input, input, await judgeArtifact(ctx, input))
})
