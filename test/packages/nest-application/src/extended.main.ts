/** The application with GraphQL and an OpenAPI document, whose packages do not install with the first Nest 11. */
import { Controller, Get, Module, NotFoundException } from '@nestjs/common';
import { Args, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Deprecated } from '@animal-store/deprecation/swagger';
import { ApiErrors } from '@animal-store/http-errors/swagger';
import { AppModule, start } from './application.js';

@Resolver()
class ShipsResolver {
  @Query(() => String)
  hail(@Args('name') name: string): string {
    if (name === 'Titanic') throw new NotFoundException('No such ship.');
    return `ahoy ${name}`;
  }
}

@Controller({ path: 'harbours', version: '1' })
class HarboursController {
  @Deprecated({ since: '2020-01-01', sunset: '2999-01-01' })
  @ApiErrors(new NotFoundException('There is no such harbour.'))
  @Get()
  list(): string[] {
    return [];
  }
}

@Module({
  imports: [
    GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
    AppModule,
  ],
  controllers: [HarboursController],
  providers: [ShipsResolver],
})
class ExtendedModule {}

void start(ExtendedModule, (app) => {
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  SwaggerModule.setup('openapi', app, document, { ui: false, jsonDocumentUrl: 'openapi.json' });
});
