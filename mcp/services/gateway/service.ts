import { help } from '../../kernel/help.ts'
import { identifyByKey, service } from '../../kernel/service.ts'
import { purgeActions } from './action/purge.ts'
import checkQuote from './check-quote.ts'
import { gatewaySettings } from './config.ts'
import discoverExternal from './discover-external.ts'
import discoverMembers from './discover-members.ts'
import docs from './docs.ts'
import executeRoute from './execute-route.ts'
import { purgeExecutions } from './execution/execution.ts'
import firstContact from './first-contact.ts'
import getActionStatus from './get-action-status.ts'
import getPurchase from './get-purchase.ts'
import joinSvc from './join-svc.ts'
import liveUtility from './live-utility.ts'
import { expireMembers } from './member/expire.ts'
import { linkMember } from './member/link.ts'
import { keyPrefix } from './member/member.ts'
import onboarding from './onboarding.ts'
import paymentReadiness from './payment-readiness.ts'
import preSpendPreflight from './pre-spend-preflight.ts'
import { purgePurchases } from './purchase/purge.ts'
import purchaseRouteIntelligence from './purchase-route-intelligence.ts'
import reconcilePurchase from './reconcile-purchase.ts'
import verifyExternalCallability from './verify-external-callability.ts'
import verifyVerdict from './verify-verdict.ts'

export default service({
  label: 'A',
  slug: 'gateway',
  icon: 'M1 6h7V2l7 6-7 6v-4H1z',
  name: 'Routing gateway',
  description:
    'Discovers and qualifies agent supply, and says GO, HOLD or STOP before money is spent. Public utility needs no membership.',
  version: '0.8.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a/v1', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json'],
  },
  auth: ['public'],
  identify: { bearer: identifyByKey({ prefix: keyPrefix, via: 'bearer' }) },
  link: linkMember,
  tools: [
    firstContact,
    preSpendPreflight,
    checkQuote,
    liveUtility,
    discoverMembers,
    discoverExternal,
    onboarding,
    joinSvc,
    verifyExternalCallability,
    getActionStatus,
    paymentReadiness,
    purchaseRouteIntelligence,
    getPurchase,
    reconcilePurchase,
    executeRoute,
    verifyVerdict,
    help({ mcp: false }),
  ],
  documents: [docs],
  documentation: '/docs',
  jobs: [expireMembers, purgePurchases, purgeActions, purgeExecutions],
  settings: gatewaySettings,
  fallback: 'help',
})
