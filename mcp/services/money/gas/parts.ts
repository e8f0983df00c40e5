import { gasEndpoint } from './endpoint.ts'
import { gasResume, gasSweep } from './job.ts'
import { sponsorChains } from './sponsor-chains.ts'

/** What the sponsoring of gas brings to its service besides tools and settings. */
export const gasParts = {
  endpoints: [gasEndpoint],
  jobs: [gasResume, gasSweep],
  ports: [sponsorChains],
} as const
