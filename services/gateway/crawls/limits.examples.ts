/** Invalid budgets of a crawl and invalid maximum ages of an earlier crawl, with the expected error of each. */
export const badLimits: [more: object, field: string, reason: string, message?: string][] = [
  [
    { max_cost_usd: 0.0009 },
    'max_cost_usd',
    'out_of_range',
    'max_cost_usd must be at least 0.001, because a page costs 0.001 US dollars; 0.0009 was sent. Send at least 0.001, or leave it out.',
  ],
  [
    { max_cost_usd: 0.009, render: 'auto' },
    'max_cost_usd',
    'out_of_range',
    'max_cost_usd must be at least 0.01, because with render auto a page may cost 0.01 US dollars; 0.009 was sent. Send at least 0.01, or leave it out.',
  ],
  [{ max_cost_usd: 0 }, 'max_cost_usd', 'out_of_range'],
  [{ max_cost_usd: -1 }, 'max_cost_usd', 'out_of_range'],
  [{ max_cost_usd: 10_001 }, 'max_cost_usd', 'out_of_range'],
  [{ max_cost_usd: '1' }, 'max_cost_usd', 'wrong_type'],
  [{ max_cost_usd: null }, 'max_cost_usd', 'wrong_type'],
  [{ max_bytes: 0 }, 'max_bytes', 'out_of_range'],
  [{ max_bytes: 1.5 }, 'max_bytes', 'wrong_type'],
  [{ max_bytes: 2 ** 41 }, 'max_bytes', 'out_of_range'],
  [{ max_bytes: '1MB' }, 'max_bytes', 'wrong_type'],
  [{ max_age_seconds: -1 }, 'max_age_seconds', 'out_of_range'],
  [{ max_age_seconds: 31_536_001 }, 'max_age_seconds', 'out_of_range'],
  [{ max_age_seconds: 1e300 }, 'max_age_seconds', 'out_of_range'],
  [{ max_age_seconds: '60' }, 'max_age_seconds', 'wrong_type'],
  [{ max_age_seconds: 0.5 }, 'max_age_seconds', 'wrong_type'],
]
