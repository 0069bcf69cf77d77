/** The chapters of the reference, in their order. Each operation stands in one. */
export const tags = [
  { name: 'Crawls', description: 'Start a crawl, follow it, and ask what it did with each URL and why.' },
  { name: 'Pages', description: 'What crawls have stored: lists, and pages with their content.' },
  { name: 'Links', description: 'How the pages of a crawl hang together.' },
  {
    name: 'Monitors',
    description: 'Crawls that are repeated by a schedule. `POST /v1/crawls` with `cron` makes one.',
  },
  { name: 'Scans', description: 'Pages that are read while you wait.' },
  {
    name: 'Cloud',
    description:
      'Pages that plain HTTP cannot get: by a browser, by proxies, by a vendor. Each page is a cloud page.',
  },
  {
    name: 'Actors',
    description:
      'Questions about one page, a site or a crawl that are answered whole, with progress on request.',
  },
  { name: 'Maps', description: "A site's addresses within seconds, without a crawl." },
  { name: 'Sites', description: 'What a site says to crawlers and to AI bots.' },
  { name: 'Content', description: 'Documents that are made of the pages of a site.' },
  { name: 'Usage', description: 'What the project has used, beside what it may.' },
  { name: 'Billing', description: 'Projects and their tiers: signup, checkout, and what is paid for.' },
  { name: 'Keys', description: 'The keys of the project. Secrets are shown once, when a key is made.' },
  {
    name: 'Webhooks',
    description: 'How receivers know that a webhook is ours, what became of each, and telling one again.',
  },
  { name: 'Logs', description: 'The calls that the project has made.' },
  { name: 'Health', description: 'Whether this instance lives, and whether it can work. No key is needed.' },
] as const
