/** What every request of the crawler says of itself. */

export const requestHeaders = (userAgent: string, acceptEncoding: string): Record<string, string> => ({
  'user-agent': userAgent,
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-encoding': acceptEncoding,
  'accept-language': 'en,*;q=0.5',
})
