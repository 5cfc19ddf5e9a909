import { type Gatehouse, type ServiceProcess, startGatehouse } from '@gatehouse/test-kit';
import { afterAll, beforeAll } from '@jest/globals';
import { startBeside } from './services.ts';
import { describeOnMysql } from './suite.ts';

/** The services as one of the two replicas of auth-server answers for them: of an even number the first, of an odd the other. */
export type AtReplica = (index: number) => Gatehouse;

/** A group of tests at two replicas of auth-server with no balancer in front, so that a test says which of them it asks. */
export function describeTwoReplicas(title: string, define: (at: AtReplica) => void): void {
  describeOnMysql(title, (dialect) => {
    let gatehouse: Gatehouse;
    let other: ServiceProcess;
    beforeAll(async () => {
      gatehouse = await startGatehouse({ dialect });
      other = await startBeside(gatehouse, 'auth-server');
    });
    afterAll(async () => {
      await other?.stop();
      await gatehouse?.stop();
    });
    define((index) => (index % 2 === 0 ? gatehouse : { ...gatehouse, authUrl: other.url }));
  });
}
