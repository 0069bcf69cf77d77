/**
 * Lists the browsers that the crawler may impersonate: desktop versions that were common in November 2026. Each has
 * the header fields of a navigation typed into its address bar, in the order in which it sends them. To update them,
 * change the version numbers.
 */
import { brandList } from './brands.ts'

export type Browser = { name: string; fields: Record<string, string> }

/** The crawler sets the value; the entry keeps the field's position in the order. */
const acceptEncoding = { 'accept-encoding': '' }

const fetchMetadata = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
}

type Platform = 'Windows' | 'macOS' | 'Linux'

const chromiumSystems: Record<Platform, string> = {
  Windows: 'Windows NT 10.0; Win64; x64',
  macOS: 'Macintosh; Intel Mac OS X 10_15_7',
  Linux: 'X11; Linux x86_64',
}

const firefoxSystems: Record<Platform, string> = {
  ...chromiumSystems,
  macOS: 'Macintosh; Intel Mac OS X 10.15',
}

export const browsers: readonly [Browser, ...Browser[]] = [
  chromium('Google Chrome', 155, 'Windows'),
  chromium('Google Chrome', 156, 'Windows'),
  chromium('Google Chrome', 155, 'macOS'),
  chromium('Microsoft Edge', 155, 'Windows'),
  firefox(158, 'Windows'),
  firefox(158, 'Linux'),
  safari('27.0'),
]

function chromium(brand: string, version: number, platform: Platform): Browser {
  const edge = brand === 'Microsoft Edge' ? ` Edg/${version}.0.0.0` : ''
  const engine = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`
  return {
    name: `${brand} ${version} on ${platform}`,
    fields: {
      'sec-ch-ua': brandList(brand, version),
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': `"${platform}"`,
      'upgrade-insecure-requests': '1',
      'user-agent': `Mozilla/5.0 (${chromiumSystems[platform]}) ${engine}${edge}`,
      accept:
        'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
      ...fetchMetadata,
      ...acceptEncoding,
      'accept-language': 'en-US,en;q=0.9',
    },
  }
}

function firefox(version: number, platform: Platform): Browser {
  const system = `${firefoxSystems[platform]}; rv:${version}.0`
  return {
    name: `Firefox ${version} on ${platform}`,
    fields: {
      'user-agent': `Mozilla/5.0 (${system}) Gecko/20100101 Firefox/${version}.0`,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'en-US,en;q=0.5',
      ...acceptEncoding,
      'upgrade-insecure-requests': '1',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
      priority: 'u=0, i',
    },
  }
}

function safari(version: string): Browser {
  const engine = `AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} Safari/605.1.15`
  return {
    name: `Safari ${version} on macOS`,
    fields: {
      'sec-fetch-dest': 'document',
      'user-agent': `Mozilla/5.0 (${chromiumSystems.macOS}) ${engine}`,
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'sec-fetch-site': 'none',
      'sec-fetch-mode': 'navigate',
      'accept-language': 'en-US,en;q=0.9',
      priority: 'u=0, i',
      ...acceptEncoding,
    },
  }
}
