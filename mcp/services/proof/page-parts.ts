import type { AnyEndpoint } from '../../kernel/endpoint.ts'
import boardPage from './pages/board-page.ts'
import entryPage from './pages/entry-page.ts'
import ledgerPage from './pages/ledger-page.ts'
import proofPage from './pages/proof-page.ts'
import reviewPage from './pages/review-page.ts'
import threadPage from './pages/thread-page.ts'
import verifyScript from './proofs/verify-script-endpoint.ts'

/** Pages for people; the service takes them in together with its other endpoints. */
export const pages: readonly AnyEndpoint[] = [
  ledgerPage,
  entryPage,
  proofPage,
  reviewPage,
  boardPage,
  threadPage,
  verifyScript,
]
