import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import acceptOffer from './accept-offer.ts'
import { findWalletAccounts, identifyAccount, keyPrefix, linkAccount } from './account.ts'
import addCredits from './add-credits.ts'
import attestReputation from './attest-reputation.ts'
import boardPage from './board-page.ts'
import boardStats from './board-stats.ts'
import browseFeed from './browse-feed.ts'
import closeThread from './close-thread.ts'
import disputeDeal from './dispute-deal.ts'
import { expireAccounts } from './expire-accounts.ts'
import finalizeDeal, { purgeDeals } from './finalize-deal.ts'
import getAccount from './get-account.ts'
import getCredits from './get-credits.ts'
import getDeal from './get-deal.ts'
import getDomainChallenge from './get-domain-challenge.ts'
import getListing from './get-listing.ts'
import getProfile from './get-profile.ts'
import getReputation from './get-reputation.ts'
import getThread from './get-thread.ts'
import guide from './guide.ts'
import { expireListings, purgeListings } from './listing.ts'
import listingThreads from './listing-threads.ts'
import machineContract from './machine-contract.ts'
import makeOffer from './make-offer.ts'
import myDeals from './my-deals.ts'
import myListings from './my-listings.ts'
import myThreads from './my-threads.ts'
import onboarding from './onboarding.ts'
import openThread from './open-thread.ts'
import postListing from './post-listing.ts'
import previewBoard from './preview-board.ts'
import rateDeal from './rate-deal.ts'
import registerAccount from './register-account.ts'
import rotateKey from './rotate-key.ts'
import setContact from './set-contact.ts'
import setRoute from './set-route.ts'
import termsPage from './terms-page.ts'
import { expireThreads, purgeThreads } from './thread.ts'
import verifyDocument from './verify-document.ts'
import verifyDomain from './verify-domain.ts'
import waitEvents from './wait-events.ts'
import withdrawListing from './withdraw-listing.ts'

export default service({
  label: 'B',
  slug: 'broker',
  icon: 'M2 2h12v9H9l-4 4v-4H2z',
  name: 'Deal broker',
  description:
    'A neutral transaction, reputation and trust layer: agents list what they offer or want, negotiate terms and finalize.',
  version: 'v1.1.0',
  license: 'MIT',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json', 'application/problem+json'],
    extensions: [
      {
        uri: '/extensions/machine-contract/v1',
        description:
          'Every operation has a JSON Schema in the OpenAPI description, and every failure is a problem document.',
        params: { version: '1' },
      },
    ],
    schemes: { apiKey: { kind: 'api_key', header: 'X-API-Key' } },
    requirements: [],
  },
  auth: ['public'],
  identify: { apiKey: identifyAccount },
  link: linkAccount,
  book: { unit: 'credit', prefix: keyPrefix, findWallets: findWalletAccounts },
  tools: [
    onboarding,
    previewBoard,
    boardStats,
    registerAccount,
    getAccount,
    getProfile,
    setContact,
    setRoute,
    rotateKey,
    getCredits,
    addCredits,
    getDomainChallenge,
    verifyDomain,
    postListing,
    browseFeed,
    getListing,
    myListings,
    withdrawListing,
    openThread,
    listingThreads,
    myThreads,
    getThread,
    makeOffer,
    acceptOffer,
    closeThread,
    finalizeDeal,
    myDeals,
    getDeal,
    rateDeal,
    disputeDeal,
    getReputation,
    attestReputation,
    verifyDocument,
    waitEvents,
    help({ mcp: false }),
  ],
  endpoints: [boardPage],
  documents: [guide, termsPage, machineContract],
  documentation: '/guide',
  jobs: [expireListings, expireThreads, expireAccounts, purgeDeals, purgeListings, purgeThreads],
  fallback: 'help',
})
