/**
 * The version of Tidemark, which is also the default version of the API. `package.json`, its lock file and the
 * changelog have the same version, which a test checks.
 */
export const version = '0.5.0'
