import { gasEndpoint } from './endpoint.ts'
import { gasResume, gasSweep, solanaFollow } from './job.ts'
import { solanaSponsor } from './solana/sponsor.ts'
import { sponsorChains } from './sponsor-chains.ts'

/** Parts the sponsoring of gas brings to its service besides tools and settings. */
export const gasParts = {
  endpoints: [gasEndpoint],
  jobs: [gasResume, solanaFollow, gasSweep],
  ports: [sponsorChains, solanaSponsor],
} as const
