import type { AnyTool } from '../../kernel/tool.ts'
import marketplaceBuy from './marketplace-buy.ts'
import offerCreate from './offer-create.ts'
import offerFulfill from './offer-fulfill.ts'
import offerList from './offer-list.ts'
import offerMy from './offer-my.ts'
import offerPurchases from './offer-purchases.ts'
import offerWithdraw from './offer-withdraw.ts'

/** Tools for sales among agents. */
export const offerTools: readonly AnyTool[] = [
  offerCreate,
  offerList,
  marketplaceBuy,
  offerMy,
  offerPurchases,
  offerFulfill,
  offerWithdraw,
]
