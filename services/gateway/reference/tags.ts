import { amountText } from '@tidemark/contracts/prices'

/** The chapters of the reference, in their order. Each operation is in one. */
export const tags = [
  { name: 'Crawls', description: 'Start a crawl, follow it, and read its decision for each URL.' },
  { name: 'Pages', description: 'The stored results of crawls: lists, and pages with their content.' },
  { name: 'Exports', description: 'All pages of a crawl as one file, for download or in your bucket.' },
  {
    name: 'Evidence',
    description: 'Signed proof of what a crawl stored, and the record of how it treated each host.',
  },
  { name: 'Links', description: 'Links between the pages of a crawl.' },
  {
    name: 'Monitors',
    description: 'Scheduled crawls. `POST /v1/crawls` with `cron` creates a monitor.',
  },
  { name: 'Scans', description: 'Pages that are read synchronously.' },
  {
    name: 'Cloud',
    description: `Pages that plain HTTP cannot fetch: by a browser, proxies or a vendor. Each page costs ${amountText('cloud_scrape')}.`,
  },
  {
    name: 'Actors',
    description:
      'Analyses of a page, a site or a crawl. Each returns one complete response, with progress on request.',
  },
  { name: 'Maps', description: 'The URLs of a site within seconds, without a crawl.' },
  { name: 'Sites', description: 'The rules of a site for crawlers and AI bots.' },
  { name: 'Content', description: 'Documents generated from the pages of a site.' },
  { name: 'Usage', description: 'Usage of the project and its caps.' },
  { name: 'Billing', description: 'Projects and their tiers: signup, checkout and payment.' },
  { name: 'Keys', description: 'The keys of the project. Secrets are shown once, at creation.' },
  {
    name: 'Webhooks',
    description: 'Verify webhooks, read their deliveries and redeliver them.',
  },
  { name: 'Logs', description: 'The API calls of the project.' },
  { name: 'Health', description: 'Liveness and readiness of this instance. No key is needed.' },
] as const
