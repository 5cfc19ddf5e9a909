/** How many timers keep this process alive, those of the tests themselves with them. */
export function countTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}
