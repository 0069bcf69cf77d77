/**
 * The version of Tidemark, which is also that of the API it speaks by default. `package.json`, its lock and the changelog
 * say the same; a test compares them.
 */
export const version = '0.5.0'
